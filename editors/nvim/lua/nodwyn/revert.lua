-- Taking back what a session did: a hunk, a file, everything, or the turns since one of them.

local buffers = require('nodwyn.buffers')
local choose = require('nodwyn.choose')
local client = require('nodwyn.client')
local session = require('nodwyn.session')
local words = require('nodwyn.words')

local M = {}

---@class nodwyn.Reversion What session/revert is asked for, without the session.
---@field what? nodwyn.What
---@field turn? integer
---@field path? string
---@field hunk? string

local UNDO = '; `:Nodwyn revert undo` brings %s back'

---@param result nodwyn.RevertResult
---@return string
local function amount(result)
  local parts = {}
  if #result.files > 0 then
    table.insert(parts, words.count(#result.files, 'file'))
  end
  if #result.turns > 0 then
    table.insert(parts, words.count(#result.turns, 'turn'))
  end
  return words.list(parts)
end

--- Shows the cards anew, since turns came into what the model sees or left it.
---@param s nodwyn.Session
local function show_again(s)
  session.view(s, function()
    require('nodwyn.buffer').draw(s)
  end)
end

--- Takes back, and tells how much it was.
---@param s nodwyn.Session
---@param params table
---@param said fun(result: nodwyn.RevertResult): string
---@param refused string The title over what is in the way.
local function send(s, params, said, refused)
  session.open(s, function()
    local settle = buffers.watch(s.state.repo)
    session.call(s, 'session/revert', params, function(result)
      buffers.tell(said(result), settle())
      require('nodwyn.diff').refresh(s)
      if #result.turns > 0 then
        show_again(s)
      end
    end, function(err)
      return require('nodwyn.conflict').plain(s, err, refused)
    end)
  end)
end

--- Takes something back at once.
---@param s nodwyn.Session
---@param what nodwyn.Reversion
function M.now(s, what)
  send(s, what, function(result)
    local many = #result.files + #result.turns ~= 1
    local taken = what.hunk and 'a hunk' or amount(result)
    return 'nodwyn: took back ' .. taken .. UNDO:format(many and 'them' or 'it')
  end, 'Nothing was taken back')
end

---@param what nodwyn.Reversion
---@return string
local function title_of(what)
  if what.turn then
    return what.turn == 0 and 'Go back to the start' or ('Go back to the end of turn %d'):format(what.turn)
  end
  return what.path and 'Take back ' .. what.path or 'Take everything back'
end

---@param result nodwyn.RevertResult
---@return nodwyn.Line[]
local function lines_of(result)
  local out = words.files(result.files)
  if #result.files == 0 then
    table.insert(out, { text = 'no file changes', group = 'NodwynContext' })
  end
  if #result.turns > 0 then
    local turns = words.list(vim.tbl_map(tostring, result.turns))
    local text = ('turn%s %s: the model will not see what was said there'):format(
      #result.turns == 1 and '' or 's',
      turns
    )
    table.insert(out, { text = text, group = 'NodwynWaiting' })
  end
  return out
end

--- Shows what would be taken back, and does it on the person's word.
---@param s nodwyn.Session
---@param what nodwyn.Reversion
function M.start(s, what)
  session.call(s, 'session/revert', vim.tbl_extend('force', what, { preview = true }), function(result)
    if #result.files + #result.turns == 0 then
      return require('nodwyn.notice').line('nodwyn: there is nothing to take back')
    end
    choose.open(title_of(what), lines_of(result), {
      choose.leave(),
      choose.go('Take it back', function()
        M.now(s, what)
      end),
    })
  end, function(err)
    return require('nodwyn.conflict').plain(s, err, 'Nothing can be taken back')
  end)
end

--- Brings the last of it back.
---@param s nodwyn.Session
function M.undo(s)
  send(s, { undo = true }, function(result)
    return ('nodwyn: brought back %s'):format(amount(result))
  end, 'Nothing was brought back')
end

--- Asks how much of the diff under the cursor goes.
---@param s nodwyn.Session
---@param place nodwyn.Place
local function ask(s, place)
  local ways = {}
  if place.hunk then
    table.insert(ways, {
      label = 'This hunk',
      run = function()
        M.now(s, { hunk = place.hunk })
      end,
    })
  end
  table.insert(ways, {
    label = 'All of ' .. place.path,
    run = function()
      M.now(s, { path = place.path })
    end,
  })
  table.insert(ways, {
    label = 'Everything that the session changed',
    run = function()
      M.start(s, {})
    end,
  })
  ways = choose.numbered(ways)
  table.insert(ways, 1, choose.leave())
  choose.open(
    'Take back',
    { { text = 'It can be brought back by `:Nodwyn revert undo`.', group = 'NodwynContext' } },
    ways
  )
end

---@param s nodwyn.Session
---@param rest string
local function turn(s, rest)
  local number, kind = rest:match('^(%d*)%s*(%l*)$')
  if not number or kind ~= '' and not vim.tbl_contains({ 'files', 'chat', 'both' }, kind) then
    return client.report({ message = ('`:Nodwyn revert turn %s`: a number and then files, chat or both'):format(rest) })
  end
  local what = kind ~= '' and kind or nil
  if number == '' then
    return require('nodwyn.turns').choose(s, function(chosen)
      M.start(s, { turn = chosen, what = what })
    end)
  end
  M.start(s, { turn = tonumber(number), what = what })
end

--- Runs `:Nodwyn revert`.
---@param s nodwyn.Session
---@param rest string
function M.run(s, rest)
  local word, more = rest:match('^(%S*)%s*(.*)$')
  local place = require('nodwyn.diff').place()
  if word == 'undo' then
    return M.undo(s)
  elseif word == 'turn' then
    return turn(s, more)
  elseif word == 'hunk' and place and place.hunk then
    return M.now(s, { hunk = place.hunk })
  elseif word == 'file' and (more ~= '' or place) then
    return M.start(s, { path = more ~= '' and more or place.path })
  elseif word == 'all' or word == '' and not place then
    return M.start(s, {})
  elseif word == '' then
    return ask(s, place)
  end
  client.report({
    message = ('`:Nodwyn revert %s`: there is hunk and file, where the cursor is on one in the diff, file PATH, all, turn [N] [files|chat|both] and undo'):format(
      rest
    ),
  })
end

return M
