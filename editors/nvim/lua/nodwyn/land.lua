-- Landing: what would go where and how, the person's word for it, and the way back.

local buffers = require('nodwyn.buffers')
local choose = require('nodwyn.choose')
local session = require('nodwyn.session')
local words = require('nodwyn.words')

local M = {}

---@class nodwyn.Landing What the person has decided so far. What is absent is the server's choice.
---@field strategy? nodwyn.Strategy
---@field into? string
---@field message? string
---@field paths? string[]
---@field hunks? string[]

--- Says what each strategy does, in the order in which they are offered.
---@type { [1]: nodwyn.Strategy, [2]: string }[]
local STRATEGIES = {
  { 'squash', "one commit of all the session's work" },
  { 'merge', 'one commit of each turn, and a merge of them' },
  { 'rebase', 'one commit of each turn on top of the branch' },
  { 'patch', 'uncommitted edits in the checkout, without a commit' },
  { 'branch', 'one commit on a branch that you name, pushed once you permit it' },
}

--- Returns the words for the strategies, for completion.
---@return string[]
function M.strategies()
  return vim.tbl_map(function(strategy)
    return strategy[1]
  end, STRATEGIES)
end

---@param s nodwyn.Session
---@param landed nodwyn.LandResult
---@return string folder The one whose files a landing moves.
local function checkout(s, landed)
  return landed.checkout or s.root or session.root()
end

---@param landed nodwyn.LandResult
---@return string
local function outcome(landed)
  local files = words.count(#landed.files, 'file')
  if landed.strategy == 'patch' then
    return ('nodwyn: left %s as uncommitted edits in %s'):format(files, words.folder(landed.checkout or landed.into))
  end
  local text = ('nodwyn: landed %s on %s as %s'):format(files, landed.into, (landed.commit or ''):sub(1, 10))
  local push = landed.push
  if push and push.pushed then
    return ('%s, and pushed it to %s'):format(text, push.remote)
  end
  return push and ('%s; not pushed: %s'):format(text, push.reason or 'there is no remote') or text
end

---@param s nodwyn.Session
---@param how nodwyn.Landing
---@param preview nodwyn.LandResult
local function land(s, how, preview)
  local settle = buffers.watch(checkout(s, preview))
  session.call(s, 'session/land', how, function(landed)
    s.resolve = nil
    buffers.tell(outcome(landed), settle())
    require('nodwyn.diff').refresh(s)
  end, function(err)
    return require('nodwyn.conflict').landing(s, err, how, preview.checkout)
  end)
end

--- Lets the person choose another way to land.
---@param s nodwyn.Session
---@param how nodwyn.Landing
---@param now nodwyn.Strategy
local function another_way(s, how, now)
  local list = require('nodwyn.list')
  local shown
  shown = list.open('How to land', 'Enter chooses', {
    ['<CR>'] = function(entry)
      list.close(shown)
      local changed = vim.tbl_extend('force', how, { strategy = STRATEGIES[entry][1] })
      if now == 'branch' or changed.strategy == 'branch' then
        -- The name of a new branch is no target for another strategy, nor the other way round.
        changed.into = nil
      end
      M.start(s, changed)
    end,
  })
  list.fill(
    shown,
    vim.tbl_map(function(strategy)
      return ('%s %-7s %s'):format(strategy[1] == now and '•' or ' ', strategy[1], strategy[2])
    end, STRATEGIES)
  )
  for i, strategy in ipairs(STRATEGIES) do
    if strategy[1] == now then
      vim.api.nvim_win_set_cursor(shown.win, { i, 0 })
    end
  end
end

---@param preview nodwyn.LandResult
---@return string
local function title_of(preview)
  if preview.strategy == 'patch' then
    return ('Land as edits in %s'):format(words.folder(preview.checkout or preview.into))
  end
  return ('Land on %s (%s)'):format(preview.into, preview.strategy)
end

--- Shows the preview and waits for a key.
---@param s nodwyn.Session
---@param preview nodwyn.LandResult
---@param how nodwyn.Landing
local function confirm(s, preview, how)
  local keys = require('nodwyn.config').current().keys
  -- The message that was shown is the one that lands, and nobody is asked for another.
  local as_shown = vim.tbl_extend('force', how, { message = preview.message ~= '' and preview.message or how.message })
  local ways = {
    choose.leave(),
    choose.go('Land it', function()
      land(s, as_shown, preview)
    end),
    {
      key = keys.way,
      label = 'Land in another way',
      run = function()
        another_way(s, as_shown, preview.strategy)
      end,
    },
  }
  if preview.strategy ~= 'patch' then
    table.insert(ways, {
      key = keys.note,
      label = 'Edit the message',
      run = function()
        require('nodwyn.input').open('Message of the commit', vim.trim(preview.message), function(text)
          M.start(s, vim.tbl_extend('force', how, { message = text }))
        end)
      end,
    })
  end
  local unsaved = buffers.unsaved(checkout(s, preview), preview.files)
  choose.open(title_of(preview), require('nodwyn.outlook').lines(preview, how, unsaved), ways)
end

--- Asks what a landing would do, and lands when the person says so.
---@param s nodwyn.Session
---@param how nodwyn.Landing
function M.start(s, how)
  if how.strategy == 'branch' and not how.into then
    return vim.ui.input({ prompt = 'Name of the branch: ' }, function(name)
      if name and name ~= '' then
        M.start(s, vim.tbl_extend('force', how, { into = name }))
      end
    end)
  end
  session.call(s, 'session/land', vim.tbl_extend('force', how, { preview = true }), function(preview)
    confirm(s, preview, how)
  end, function(err)
    return require('nodwyn.conflict').landing(s, err, how)
  end)
end

--- Reads what follows `:Nodwyn land`: options as the program has them, and then a message.
---@param rest string
---@return nodwyn.Landing
function M.parse(rest)
  local how = {}
  repeat
    local name, value, after = rest:match('^%-%-(%l+)[= ](%S+)%s*(.*)$')
    local known = name == 'strategy' or name == 'into'
    if known then
      how[name], rest = value, after
    end
  until not known
  how.message = rest ~= '' and rest or nil
  return how
end

--- Takes the last landing back when the person says so.
---@param s nodwyn.Session
function M.back(s)
  local lines = {
    { text = 'The branch goes back to where it was before the last landing of this session,' },
    { text = 'if nobody built on it. The work stays in the session and can land again.' },
  }
  choose.open('Take the landing back', lines, {
    choose.leave(),
    choose.go('Take it back', function()
      local settle = buffers.watch(s.root or session.root())
      session.call(s, 'session/unland', {}, function(result)
        local text = result.strategy == 'patch' and 'nodwyn: took the edits back'
          or result.commit and ('nodwyn: %s is back at %s'):format(result.into, result.commit:sub(1, 10))
          or ('nodwyn: %s is gone again'):format(result.into)
        buffers.tell(text, settle())
        require('nodwyn.diff').refresh(s)
      end, function(err)
        return require('nodwyn.conflict').plain(s, err, 'Nothing was taken back')
      end)
    end),
  })
end

return M
