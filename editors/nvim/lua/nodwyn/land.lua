-- Landing: what would go where, and the person's word for it.

local M = {}

---@param preview nodwyn.LandResult
---@return { text: string, group?: string }[]
local function lines_of(preview)
  local out = {}
  for _, line in ipairs(vim.split(vim.trim(preview.message), '\n', { plain = true })) do
    table.insert(out, { text = line })
  end
  table.insert(out, { text = '' })
  for _, file in ipairs(preview.files) do
    local text = ('%s %s  +%d −%d'):format(file.status, file.path, file.insertions, file.deletions)
    table.insert(out, { text = text, group = 'NodwynContext' })
  end
  return out
end

---@param s nodwyn.Session
---@param message? string
local function land(s, message)
  require('nodwyn.session').call(s, 'session/land', { message = message }, function(landed)
    local what = ('nodwyn: landed %d file%s on %s as %s'):format(
      #landed.files,
      #landed.files == 1 and '' or 's',
      landed.into,
      (landed.commit or ''):sub(1, 10)
    )
    require('nodwyn.notice').line(what)
    -- The files on disk may have changed under the person's buffers.
    vim.cmd.checktime()
  end)
end

--- Shows the preview and waits for a key.
---@param s nodwyn.Session
---@param preview nodwyn.LandResult
---@param message? string
local function confirm(s, preview, message)
  local keys = require('nodwyn.config').current().keys
  local float
  local function choice(key, label, act)
    return {
      key = key,
      label = label,
      run = function()
        float.close()
        act()
      end,
    }
  end
  local choices = {
    choice(keys.deny, 'Leave it', function() end),
    choice(keys.allow_once, 'Land it', function()
      land(s, message)
    end),
    choice(keys.note, 'Edit the message', function()
      require('nodwyn.input').open('Message of the commit', vim.trim(preview.message), function(text)
        M.start(s, text)
      end)
    end),
  }
  float = require('nodwyn.float').open(('Land on %s'):format(preview.into), lines_of(preview), choices)
  float.go()
end

--- Asks what a landing would do, and lands when the person says so.
---@param s nodwyn.Session
---@param message? string
function M.start(s, message)
  require('nodwyn.session').call(s, 'session/land', { preview = true, message = message }, function(preview)
    confirm(s, preview, message)
  end)
end

return M
