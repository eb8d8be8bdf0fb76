-- What is in the way of a landing, a revert or a sync: its places in the quickfix list, and what can be done about it.

local choose = require('nodwyn.choose')
local places = require('nodwyn.places')
local session = require('nodwyn.session')
local words = require('nodwyn.words')

local M = {}

-- What stands in the person's checkout, where no sync helps.
local THEIRS = { uncommitted = true, untracked = true, ignored = true }

---@param message? string
---@param conflicts nodwyn.FileConflict[]
---@return nodwyn.Line[]
local function lines_of(message, conflicts)
  local out = {}
  if message then
    table.insert(out, { text = message, group = 'NodwynDenied' })
  end
  for _, one in ipairs(conflicts) do
    local lines = words.lines(one.lines)
    local where = lines ~= '' and ('%s:%s'):format(one.path, lines) or one.path
    if one.kind ~= 'moved' then
      table.insert(out, { text = ('%s  %s'):format(where, places.kind(one)), group = 'NodwynDenied' })
    end
  end
  return out
end

---@param ways { label: string, run: fun() }[]
---@param count integer
local function add_list(ways, count)
  if count > 0 then
    table.insert(ways, {
      label = ('List the %s'):format(count == 1 and 'place' or count .. ' places'),
      run = function()
        vim.cmd('botright copen')
      end,
    })
  end
end

---@param s nodwyn.Session
---@param ways { label: string, run: fun() }[]
local function add_tree(s, ways)
  table.insert(ways, {
    label = "Open the session's tree in a tab page",
    run = function()
      require('nodwyn.tree').tab(s)
    end,
  })
  table.insert(ways, {
    label = "Open a shell in the session's tree",
    run = function()
      require('nodwyn.tree').shell(s)
    end,
  })
end

---@param err nodwyn.Error
---@return nodwyn.FileConflict[]?
local function conflicts_of(err)
  if err.code == require('nodwyn.protocol').errors.Conflict then
    return err.data and err.data.conflicts or {}
  end
end

---@param s nodwyn.Session
---@return string
local function tree_of(s)
  return s.state and s.state.repo or session.root()
end

--- Lists what helps with what is in the way of a landing: a sync where both changed a file, the agent where it can resolve that.
---@param s nodwyn.Session
---@param conflicts nodwyn.FileConflict[]
---@param how nodwyn.Landing
local function remedies(s, conflicts, how)
  local ways, met, left = {}, false, false
  for _, one in ipairs(conflicts) do
    left = left or one.kind == 'unresolved'
    met = met or one.kind ~= 'unresolved' and one.kind ~= 'moved' and not THEIRS[one.kind]
  end
  local onto = how.strategy ~= 'branch' and how.into or nil
  if left and s.resolve then
    table.insert(ways, {
      label = 'Let the agent resolve it',
      run = function()
        require('nodwyn.sync').resolve(s, s.resolve)
      end,
    })
  elseif met then
    table.insert(ways, {
      label = 'Let the agent resolve it: sync, and ask it to',
      run = function()
        require('nodwyn.sync').start(s, { onto = onto, resolve = true, how = how })
      end,
    })
    table.insert(ways, {
      label = "Sync: bring the branch into the session's tree",
      run = function()
        require('nodwyn.sync').start(s, { onto = onto, how = how })
      end,
    })
  end
  return ways
end

--- Shows what is in the way of a landing. An error of another kind is not shown.
---@param s nodwyn.Session
---@param err nodwyn.Error
---@param how nodwyn.Landing
---@param checkout? string The folder that has the target checked out, where that is known.
---@return boolean shown
function M.landing(s, err, how, checkout)
  local conflicts = conflicts_of(err)
  if not conflicts then
    return false
  end
  local count = places.quickfix('in the way of the landing', conflicts, function(one)
    if one.kind == 'unresolved' then
      return tree_of(s), true
    end
    return checkout or s.root or session.root(), false
  end)
  local ways = remedies(s, conflicts, how)
  add_list(ways, count)
  add_tree(s, ways)
  ways = choose.numbered(ways)
  table.insert(ways, 1, choose.leave())
  table.insert(
    ways,
    choose.go('Try again', function()
      require('nodwyn.land').start(s, how)
    end)
  )
  choose.open('Nothing landed', lines_of(err.message, conflicts), ways)
  return true
end

--- Shows what is in the way of anything else in the session's tree. An error of another kind is not shown.
---@param s nodwyn.Session
---@param err nodwyn.Error
---@param title string
---@return boolean shown
function M.plain(s, err, title)
  local conflicts = conflicts_of(err)
  if not conflicts then
    return false
  end
  local count = places.quickfix(title, conflicts, function(one)
    if THEIRS[one.kind] then
      return s.root or session.root(), false
    end
    return tree_of(s), true
  end)
  local ways = {}
  add_list(ways, count)
  ways = choose.numbered(ways)
  table.insert(ways, 1, choose.leave())
  choose.open(title, lines_of(err.message, conflicts), ways)
  return true
end

--- Shows what a sync left to resolve.
---@param s nodwyn.Session
---@param result nodwyn.SyncResult
function M.synced(s, result)
  local count = places.quickfix('left to resolve by the sync', result.conflicts, function()
    return tree_of(s), true
  end)
  local ways = {}
  if result.request then
    table.insert(ways, {
      label = 'Let the agent resolve it',
      run = function()
        require('nodwyn.sync').resolve(s, result.request)
      end,
    })
  end
  add_list(ways, count)
  table.insert(ways, {
    label = 'Undo the sync',
    run = function()
      require('nodwyn.sync').undo(s)
    end,
  })
  ways = choose.numbered(ways)
  table.insert(ways, 1, choose.leave('Leave it, and resolve it by hand'))
  choose.open('Synced, with something left to resolve', lines_of(nil, result.conflicts), ways)
end

return M
