-- Where a session changes what another one changes too, before either lands.

local words = require('nodwyn.words')

local M = {}

--- Says which places of a file two sessions both change.
---@param one nodwyn.Overlap
---@return string
function M.where(one)
  if one.whole then
    return 'the whole file'
  end
  local lines = words.lines(one.lines)
  if lines == '' then
    return 'other places'
  end
  local single = #one.lines == 1 and one.lines[1].count <= 1
  return (single and 'line ' or 'lines ') .. lines
end

--- Says who else changes a file; empty when nobody does.
---@param s nodwyn.Session
---@param path string
---@return string
function M.of(s, path)
  local parts = {}
  for _, one in ipairs(s.overlaps) do
    if one.path == path then
      table.insert(parts, ('“%s” (%s)'):format(one.title:gsub('%s+', ' '), M.where(one)))
    end
  end
  return #parts > 0 and '⇄ also changed by ' .. words.list(parts) or ''
end

--- Opens a file of a session's tree where the overlap is.
---@param s nodwyn.Session
---@param one nodwyn.Overlap
local function jump(s, one)
  vim.cmd.split(vim.fn.fnameescape(vim.fs.joinpath(s.state.repo, one.path)))
  local first = one.lines and one.lines[1] and one.lines[1].first or 1
  pcall(vim.api.nvim_win_set_cursor, 0, { math.max(first, 1), 0 })
end

--- Lists the overlaps of a session.
---@param s nodwyn.Session
function M.show(s)
  local list = require('nodwyn.list')
  local all = vim.deepcopy(s.overlaps)
  if #all == 0 then
    return require('nodwyn.notice').line('nodwyn: no other open session changes a file that this one changes')
  end
  local shown
  local function on(act)
    return function(entry)
      if all[entry] then
        list.close(shown)
        act(all[entry])
      end
    end
  end
  shown = list.open('Also changed by other sessions', 'Enter opens the file, o the other session', {
    ['<CR>'] = on(function(one)
      jump(s, one)
    end),
    o = on(function(one)
      require('nodwyn.sessions').open(one.session)
    end),
  })
  list.fill(
    shown,
    vim.tbl_map(function(one)
      return ('%s  %s  “%s”'):format(one.path, M.where(one), one.title:gsub('%s+', ' '))
    end, all)
  )
end

return M
