-- A question of the plugin's own after a command: a float that has the focus, and a key for each way on.

local M = {}

---@class nodwyn.Way
---@field key string
---@field label string
---@field run fun()

--- Makes the way that does nothing.
---@param label? string
---@return nodwyn.Way
function M.leave(label)
  return { key = require('nodwyn.config').current().keys.deny, label = label or 'Leave it', run = function() end }
end

--- Makes the way that does what was asked for.
---@param label string
---@param run fun()
---@return nodwyn.Way
function M.go(label, run)
  return { key = require('nodwyn.config').current().keys.allow_once, label = label, run = run }
end

--- Numbers ways that no key is set aside for.
---@param ways { label: string, run: fun() }[]
---@return nodwyn.Way[]
function M.numbered(ways)
  local out = {}
  for i, way in ipairs(ways) do
    table.insert(out, { key = tostring(i), label = way.label, run = way.run })
  end
  return out
end

--- Asks which way to go. `q` and Escape leave at once, since they do nothing.
---@param title string
---@param lines nodwyn.Line[]
---@param ways nodwyn.Way[]
function M.open(title, lines, ways)
  local float
  local choices = vim.tbl_map(function(way)
    return {
      key = way.key,
      label = way.label,
      run = function()
        float.close()
        way.run()
      end,
    }
  end, ways)
  float = require('nodwyn.float').open(title, lines, choices)
  float.go()
  for _, key in ipairs({ 'q', '<Esc>' }) do
    vim.keymap.set('n', key, float.close, { buffer = 0, nowait = true, desc = 'leave' })
  end
end

return M
