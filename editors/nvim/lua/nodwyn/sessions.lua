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
function M.cut_off(one)
  return one.unfinished and not one.openElsewhere and one.status == 'closed'
end

---@param one nodwyn.Summary
---@return string
local function state_of(one)
  if one.openElsewhere then
    return 'open elsewhere'
  end
  if M.cut_off(one) then
    return 'cut off'
  end
  return one.status == 'closed' and '' or one.status
end

---@param one nodwyn.Summary
---@return string
local function line_of(one)
  local title = (one.title ~= '' and one.title or one.session):gsub('%s+', ' ')
  local met = require('nodwyn.status').overlap({ overlaps = one.overlaps or {} })
  return vim.trim(('%-8s %-15s %s  %s'):format(ago(one.updated), state_of(one), title, met))
end

--- Makes a session of a list the one that commands mean.
---@param one nodwyn.Summary
---@return nodwyn.Session
function M.take(one)
  local s = session.of(one.session)
  s.unfinished, s.title = M.cut_off(one), one.title ~= '' and one.title or nil
  s.branch = one.branch
  session.choose(s, one.repository or one.repo)
  return s
end

---@param repo string?
---@param limit integer?
---@param done fun(list: nodwyn.Summary[])
---@param failed? fun()
local function fetch(repo, limit, done, failed)
  client.request('session/list', { repo = repo, limit = limit }, function(err, result)
    if not err then
      return done(result.sessions)
    end
    client.report(err)
    return failed and failed()
  end)
end

--- Finds the last session of the folder that the person works in, and makes it the one that commands mean.
---@param wanted? fun(one: nodwyn.Summary): boolean Which one will do; any without it.
---@param done fun(s: nodwyn.Session?)
function M.latest(wanted, done)
  local root = session.root()
  fetch(root, nil, function(list)
    local one = wanted and vim.iter(list):find(wanted) or not wanted and list[1] or nil
    if one then
      -- The server may spell the folder otherwise, where a link is on the way.
      session.choose(M.take(one), root)
    end
    done(one and session.of(one.session))
  end)
end

--- Looks for the last session of the folder, and whether there is any on this machine. What cannot be asked has none.
---@param done fun(latest: nodwyn.Summary?, any: boolean)
function M.look(done)
  local function nothing()
    done(nil, false)
  end
  fetch(session.root(), 1, function(here)
    fetch(nil, 1, function(all)
      done(here[1], #all > 0)
    end, nothing)
  end, nothing)
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
  fetch(root, nil, function(all)
    local shown
    shown = list.open('Sessions', 'Enter opens', {
      ['<CR>'] = function(entry)
        local one = all[entry]
        if one then
          session.choose(M.take(one), root)
          list.close(shown)
          M.open(one.session)
        end
      end,
    })
    local lines = vim.tbl_map(line_of, all)
    list.fill(shown, #lines > 0 and lines or { 'no sessions yet: `:Nodwyn ask` starts one' })
  end)
end

return M
