-- Landing: what would go where, and the person's word for it.

local M = {}

--- Asks in a float that has the focus, since the person has just given a command.
---@param title string
---@param lines nodwyn.Line[]
---@param answers { [1]: string, [2]: string, [3]: fun() }[] Each a key, what it says, and what it does.
local function choose(title, lines, answers)
  local float
  local choices = vim.tbl_map(function(answer)
    return {
      key = answer[1],
      label = answer[2],
      run = function()
        float.close()
        answer[3]()
      end,
    }
  end, answers)
  float = require('nodwyn.float').open(title, lines, choices)
  float.go()
end

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

--- Shows what is in the way of a landing, with what the person can do about it.
---@param s nodwyn.Session
---@param err nodwyn.Error
---@param message? string
---@return boolean
local function in_the_way(s, err, message)
  if err.code ~= require('nodwyn.protocol').errors.Conflict then
    return false
  end
  local lines = { { text = err.message, group = 'NodwynDenied' } }
  for _, file in ipairs(err.data and err.data.conflicts or {}) do
    if not err.message:find(file.path, 1, true) then
      table.insert(lines, { text = ('%s (%s)'):format(file.path, file.kind), group = 'NodwynDenied' })
    end
  end
  table.insert(lines, { text = '' })
  local keys = require('nodwyn.config').current().keys
  choose('Nothing landed', lines, {
    { keys.deny, 'Leave it', function() end },
    {
      '1',
      "Open the session's tree in a tab page",
      function()
        require('nodwyn.tree').tab(s)
      end,
    },
    {
      '2',
      "Open a shell in the session's tree",
      function()
        require('nodwyn.tree').shell(s)
      end,
    },
    {
      keys.allow_once,
      'Try again',
      function()
        M.start(s, message)
      end,
    },
  })
  return true
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
  end, function(err)
    return in_the_way(s, err, message)
  end)
end

--- Shows the preview and waits for a key.
---@param s nodwyn.Session
---@param preview nodwyn.LandResult
---@param message? string
local function confirm(s, preview, message)
  local keys = require('nodwyn.config').current().keys
  choose(('Land on %s'):format(preview.into), lines_of(preview), {
    { keys.deny, 'Leave it', function() end },
    {
      keys.allow_once,
      'Land it',
      function()
        land(s, preview.message)
      end,
    },
    {
      keys.note,
      'Edit the message',
      function()
        require('nodwyn.input').open('Message of the commit', vim.trim(preview.message), function(text)
          M.start(s, text)
        end)
      end,
    },
  })
end

--- Asks what a landing would do, and lands when the person says so.
---@param s nodwyn.Session
---@param message? string
function M.start(s, message)
  require('nodwyn.session').call(s, 'session/land', { preview = true, message = message }, function(preview)
    confirm(s, preview, message)
  end, function(err)
    return in_the_way(s, err, message)
  end)
end

return M
