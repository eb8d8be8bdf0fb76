-- Bringing what the branch has meanwhile into a session's tree, and back out of it.

local buffers = require('nodwyn.buffers')
local session = require('nodwyn.session')
local words = require('nodwyn.words')

local M = {}

---@class nodwyn.SyncWish
---@field onto? string The branch or revision that comes in.
---@field resolve? boolean Whether the agent is to resolve what both changed.
---@field how? nodwyn.Landing The landing that led here, to go on with when nothing is left to resolve.

--- Has the agent resolve what a sync left.
---@param s nodwyn.Session
---@param request string
function M.resolve(s, request)
  require('nodwyn.buffer').show(s)
  session.prompt(s, request)
end

---@param result nodwyn.SyncResult
---@param onto? string
---@return string
local function outcome(result, onto)
  local from = onto or 'the branch'
  if #result.files == 0 then
    return ('nodwyn: the session has all of %s already'):format(from)
  end
  local text = ('nodwyn: %s came in from %s; `:Nodwyn sync undo` takes that back'):format(
    words.count(#result.files, 'file'),
    from
  )
  local yielded = result.yielded or {}
  return #yielded > 0 and ('%s; yours gave way in %s'):format(text, words.list(yielded)) or text
end

--- Syncs. What both changed is shown, unless the agent is to resolve it at once.
---@param s nodwyn.Session
---@param wish nodwyn.SyncWish
function M.start(s, wish)
  local settle
  local function done(result)
    s.resolve = result.request
    buffers.tell(outcome(result, wish.onto), settle())
    require('nodwyn.diff').refresh(s)
    local left = #(result.conflicts or {}) > 0
    if left and wish.resolve and result.request then
      return M.resolve(s, result.request)
    end
    if left then
      return require('nodwyn.conflict').synced(s, result)
    end
    if wish.how then
      require('nodwyn.land').start(s, wish.how)
    end
  end
  session.open(s, function()
    settle = buffers.watch(s.state.repo)
    session.call(s, 'session/sync', { onto = wish.onto }, done, function(err)
      return require('nodwyn.conflict').plain(s, err, 'Nothing came in')
    end)
  end)
end

--- Takes the last sync back.
---@param s nodwyn.Session
function M.undo(s)
  session.open(s, function()
    local settle = buffers.watch(s.state.repo)
    session.call(s, 'session/sync', { undo = true }, function()
      s.resolve = nil
      buffers.tell('nodwyn: the last sync is taken back', settle())
      require('nodwyn.diff').refresh(s)
    end, function(err)
      return require('nodwyn.conflict').plain(s, err, 'The sync stays')
    end)
  end)
end

--- Runs `:Nodwyn sync`.
---@param s nodwyn.Session
---@param rest string
function M.run(s, rest)
  if rest == 'undo' then
    return M.undo(s)
  end
  M.start(s, { onto = rest ~= '' and rest or nil })
end

return M
