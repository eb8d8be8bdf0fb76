-- The places that are in the way of something, in words and in the quickfix list.

local M = {}

--- Says what each kind means to the person; git's own words need no help.
local KINDS = {
  contents = 'both changed it here',
  uncommitted = 'you have uncommitted changes in it',
  untracked = 'you have an untracked file of that name',
  ignored = 'you have an ignored file of that name',
  edited = 'it was edited since',
  unresolved = 'it still has conflict markers',
}

--- Says in words what a conflict is.
---@param one nodwyn.FileConflict
---@return string
function M.kind(one)
  return KINDS[one.kind] or one.kind
end

--- Finds the conflict markers of a file.
---@param file string
---@return integer[]
local function markers(file)
  local rows = {}
  if vim.fn.filereadable(file) == 1 then
    for row, text in ipairs(vim.fn.readfile(file)) do
      if vim.startswith(text, '<<<<<<< ') then
        table.insert(rows, row)
      end
    end
  end
  return rows
end

--- Makes the entries of the quickfix list for one file.
---@param one nodwyn.FileConflict
---@param folder string
---@param in_tree boolean
---@param out table[]
local function add_places(one, folder, in_tree, out)
  local function add(first, last)
    local item = { filename = vim.fs.joinpath(folder, one.path), lnum = first, text = M.kind(one), type = 'E' }
    table.insert(out, vim.tbl_extend('force', item, { end_lnum = last }))
  end
  local runs = in_tree and {} or one.lines or {}
  for _, run in ipairs(runs) do
    add(math.max(run.first, 1), run.count > 1 and run.first + run.count - 1 or nil)
  end
  local rows = in_tree and markers(vim.fs.joinpath(folder, one.path)) or {}
  for _, row in ipairs(rows) do
    add(row)
  end
  if #runs + #rows == 0 then
    add(1)
  end
end

--- Fills the quickfix list with the places, without opening it. The person's own list is the one before, for `:colder`.
---@param title string
---@param conflicts nodwyn.FileConflict[]
---@param folder_of fun(one: nodwyn.FileConflict): string folder, boolean in_tree
---@return integer count
function M.quickfix(title, conflicts, folder_of)
  local items = {}
  for _, one in ipairs(conflicts) do
    if one.kind ~= 'moved' then
      local folder, in_tree = folder_of(one)
      add_places(one, folder, in_tree, items)
    end
  end
  if #items > 0 then
    vim.fn.setqflist({}, ' ', { title = 'nodwyn: ' .. title, items = items })
  end
  return #items
end

return M
