-- The commands of `:Nodwyn` about what a session changed: look at it, check it, land it, take it back.

local meant = require('nodwyn.meant')

---@type table<string, nodwyn.Verb>
local verbs = {}

verbs.diff = {
  run = function(_, rest)
    meant.with_last(function(s)
      require('nodwyn.diff').show(s, rest ~= '' and rest or nil)
    end)
  end,
}

verbs.land = {
  words = function()
    local options = vim.tbl_map(function(strategy)
      return '--strategy=' .. strategy
    end, require('nodwyn.land').strategies())
    return vim.list_extend(options, { '--into=' })
  end,
  run = function(_, rest)
    meant.with_last(function(s)
      local land, diff = require('nodwyn.land'), require('nodwyn.diff')
      land.start(s, vim.tbl_extend('force', diff.marked(), land.parse(rest)))
    end)
  end,
}

verbs.unland = {
  run = function()
    meant.with_last(require('nodwyn.land').back)
  end,
}

verbs.sync = {
  words = function()
    return { 'undo' }
  end,
  run = function(_, rest)
    meant.with_last(function(s)
      require('nodwyn.sync').run(s, rest)
    end)
  end,
}

verbs.revert = {
  words = function(before)
    if before:match('^turn%s') then
      return { 'files', 'chat', 'both' }
    end
    return { 'hunk', 'file', 'all', 'turn', 'undo' }
  end,
  run = function(_, rest)
    meant.with_last(function(s)
      require('nodwyn.revert').run(s, rest)
    end)
  end,
}

verbs.overlaps = {
  run = function()
    meant.with_last(require('nodwyn.overlaps').show)
  end,
}

verbs.check = {
  run = function()
    meant.with_last(require('nodwyn.proof').again)
  end,
}

verbs.worktree = {
  run = function()
    meant.with_last(require('nodwyn.tree').tab)
  end,
}

verbs.terminal = {
  run = function()
    meant.with_last(require('nodwyn.tree').shell)
  end,
}

return verbs
