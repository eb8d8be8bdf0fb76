-- The parts of a diff that a person marks to land, and leaves the rest for later.
--
-- Invariant: without a mark everything lands. A mark of what is not in the diff counts for nothing until that comes back.

local words = require('nodwyn.words')

local M = {}

local ns = vim.api.nvim_create_namespace('nodwyn.pick')

--- Lists the names under which the parts of a file are marked: its hunks, or itself when it has none.
---@param file nodwyn.FileDiff
---@return string[]
local function parts(file)
  local out = vim.tbl_map(function(hunk)
    return hunk.id
  end, file.hunks or {})
  return #out > 0 and out or { file.path }
end

--- Marks what is not marked, or the other way round once all of it is.
---@param marks table<string, true>
---@param names string[]
function M.toggle(marks, names)
  local all = vim.iter(names):all(function(name)
    return marks[name] ~= nil
  end)
  for _, name in ipairs(names) do
    marks[name] = not all or nil
  end
end

--- Returns the names of what is at a place: a hunk, or all of the file.
---@param file nodwyn.FileDiff
---@param hunk? nodwyn.Hunk
---@return string[]
function M.names(file, hunk)
  return hunk and { hunk.id } or parts(file)
end

--- Marks what was not marked, and nothing else.
---@param marks table<string, true>
---@param files nodwyn.FileDiff[]
function M.invert(marks, files)
  for _, file in ipairs(files) do
    for _, name in ipairs(parts(file)) do
      marks[name] = not marks[name] or nil
    end
  end
end

--- Says what the marks mean to a landing: files of which all is marked go as a whole, so that what git knows of them beside their lines comes along.
---@param marks table<string, true>
---@param files nodwyn.FileDiff[]
---@return nodwyn.Landing
function M.landing(marks, files)
  local paths, hunks = {}, {}
  for _, file in ipairs(files) do
    local marked = vim.tbl_filter(function(name)
      return marks[name]
    end, parts(file))
    if #marked == #parts(file) then
      table.insert(paths, file.path)
    else
      vim.list_extend(hunks, marked)
    end
  end
  return { paths = #paths > 0 and paths or nil, hunks = #hunks > 0 and hunks or nil }
end

--- Counts the marks in words; empty without any.
---@param marks table<string, true>
---@param files nodwyn.FileDiff[]
---@return string
function M.count(marks, files)
  local how = M.landing(marks, files)
  local out = {}
  if how.paths then
    table.insert(out, words.count(#how.paths, 'file'))
  end
  if how.hunks then
    table.insert(out, words.count(#how.hunks, 'hunk'))
  end
  return words.list(out)
end

--- Draws the marks of a diff.
---@param buf integer
---@param marks table<string, true>
---@param rows nodwyn.DiffRow[]
function M.draw(buf, marks, rows)
  vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  for row, at in ipairs(rows) do
    local whole = at.head and vim.iter(parts(at.file)):all(function(name)
      return marks[name] ~= nil
    end)
    if whole or at.hunk and marks[at.hunk.id] then
      vim.api.nvim_buf_set_extmark(buf, ns, row - 1, 0, { sign_text = '✓', sign_hl_group = 'NodwynAllowed' })
    end
  end
end

return M
