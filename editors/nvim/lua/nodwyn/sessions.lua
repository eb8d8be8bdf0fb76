-- The list of the sessions of this folder.

local client = require('nodwyn.client')
local session = require('nodwyn.session')

local M = {}

--- Spells how long ago something was, in one unit.
---@param time string RFC 3339 in UTC.
---@return string
local function ago(time)
  local y, mo, d, h, mi, s = time:match('^(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  if not y then
    return time
  end
  local offset = os.time() - os.time(os.date('!*t') --[[@as osdateparam]])
  local seconds = os.time() - offset - os.time({ year = y, month = mo, day = d, hour = h, min = mi, sec = s })
  for _, unit in ipairs({ { 86400, 'd' }, { 3600, 'h' }, { 60, 'min' } }) do
    if seconds >= unit[1] then
      return ('%d %s'):format(seconds / unit[1], unit[2])
    end
  end
  return 'now'
end

--- Says whether a turn was cut off, and not merely running in another editor.
---@param one nodwyn.Summary
---@return boolean
local function cut_off(one)
  return one.unfinished and not one.openElsewhere and one.status == 'closed'
end

---@param one nodwyn.Summary
---@return string
local function state_of(one)
  if one.openElsewhere then
    return 'open elsewhere'
  end
  if cut_off(one) then
    return 'cut off'
  end
  return one.status == 'closed' and '' or one.status
end

---@param one nodwyn.Summary
---@return string
local function line_of(one)
  local title = (one.title ~= '' and one.title or one.session):gsub('%s+', ' ')
  return vim.trim(('%-8s %-15s %s'):format(ago(one.updated), state_of(one), title))
end

--- Opens a session: its cards at once, from its log, whoever holds it.
---@param id string
function M.open(id)
  local s = session.of(id)
  session.view(s, function()
    local buffer = require('nodwyn.buffer')
    buffer.show(s, true)
    buffer.draw(s)
  end)
end

--- Shows the sessions of the folder that the person works in.
function M.show()
  local list = require('nodwyn.list')
  local root = session.root()
  client.request('session/list', { repo = root }, function(err, result)
    if err then
      return client.report(err)
    end
    local shown
    shown = list.open('Sessions', 'Enter opens', {
      ['<CR>'] = function(entry)
        local one = result.sessions[entry]
        if one then
          local s = session.of(one.session)
          s.unfinished = cut_off(one)
          session.choose(s, root)
          list.close(shown)
          M.open(one.session)
        end
      end,
    })
    local lines = vim.tbl_map(line_of, result.sessions)
    list.fill(shown, #lines > 0 and lines or { 'no sessions yet: `:Nodwyn ask` starts one' })
  end)
end

return M
