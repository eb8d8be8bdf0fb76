-- Counts and lists as a person reads them.

local M = {}

--- Spells a count with its noun.
---@param count integer
---@param noun string
---@return string
function M.count(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

--- Joins words as a sentence does.
---@param words string[]
---@return string
function M.list(words)
  if #words < 2 then
    return words[1] or ''
  end
  return table.concat(words, ', ', 1, #words - 1) .. ' and ' .. words[#words]
end

--- Spells how much of the person's own work there is: the subject of a sentence, and whether it is one thing.
---@param uncommitted integer
---@param untracked integer
---@return string text, boolean single
function M.own(uncommitted, untracked)
  local single = uncommitted + untracked == 1
  local parts = {}
  if uncommitted > 0 then
    table.insert(parts, ('%d changed'):format(uncommitted))
  end
  if untracked > 0 then
    table.insert(parts, ('%d new'):format(untracked))
  end
  local last = untracked > 0 and untracked or uncommitted
  return ('%s file%s of yours'):format(M.list(parts), last == 1 and '' or 's'), single
end

--- Spells runs of lines.
---@param runs nodwyn.LineRun[]?
---@return string
function M.lines(runs)
  local parts = {}
  for _, run in ipairs(runs or {}) do
    table.insert(parts, run.count > 1 and ('%d-%d'):format(run.first, run.first + run.count - 1) or tostring(run.first))
  end
  return table.concat(parts, ', ')
end

--- Spells changed files, a line each.
---@param files nodwyn.FileDiff[]
---@return nodwyn.Line[]
function M.files(files)
  return vim.tbl_map(function(file)
    local name = file.oldPath and file.oldPath ~= file.path and ('%s → %s'):format(file.oldPath, file.path)
      or file.path
    local size = file.binary and 'binary' or ('+%d −%d'):format(file.insertions, file.deletions)
    return { text = ('%s %s  %s'):format(file.status, name, size), group = 'NodwynContext' }
  end, files)
end

--- Shortens a folder for the screen.
---@param folder string
---@return string
function M.folder(folder)
  return vim.fn.fnamemodify(folder, ':~')
end

return M
