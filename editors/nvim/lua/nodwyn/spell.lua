-- A diff of the server's as lines of text, and what each of them belongs to.

local M = {}

---@class nodwyn.DiffRow What a line of a diff belongs to.
---@field file nodwyn.FileDiff
---@field hunk? nodwyn.Hunk
---@field text string
---@field head boolean Whether it is the first line of its file.

--- Spells one changed file as git does, so that the syntax of diffs colours it.
---@param file nodwyn.FileDiff
---@param add fun(text: string, hunk?: nodwyn.Hunk)
local function file_lines(file, add)
  add(('diff --git a/%s b/%s'):format(file.oldPath or file.path, file.path))
  if file.oldPath then
    add('rename from ' .. file.oldPath)
    add('rename to ' .. file.path)
  end
  if file.binary then
    add('Binary files differ')
  elseif #(file.hunks or {}) > 0 then
    add(file.status == 'A' and '--- /dev/null' or '--- a/' .. (file.oldPath or file.path))
    add(file.status == 'D' and '+++ /dev/null' or '+++ b/' .. file.path)
  end
  for _, hunk in ipairs(file.hunks or {}) do
    add(hunk.header, hunk)
    for _, text in ipairs(vim.split((hunk.text:gsub('\n$', '')), '\n', { plain = true })) do
      add(text, hunk)
    end
  end
end

--- Spells a whole diff, with what each line belongs to.
---@param files nodwyn.FileDiff[]
---@return string[] lines, nodwyn.DiffRow[] rows
function M.lines(files)
  local lines, rows = {}, {}
  for _, file in ipairs(files) do
    local head = true
    file_lines(file, function(text, hunk)
      table.insert(lines, text)
      table.insert(rows, { file = file, hunk = hunk, text = text, head = head })
      head = false
    end)
  end
  return lines, rows
end

--- Counts the line of the new file that a line of a diff shows.
---@param rows nodwyn.DiffRow[]
---@param at integer
---@return integer
function M.line(rows, at)
  local hunk = rows[at].hunk
  local line = hunk and tonumber(hunk.header:match('%+(%d+)')) or 1
  for i = at - 1, 1, -1 do
    if rows[i].hunk ~= hunk then
      break
    end
    line = line + (rows[i].text:match('^[+ ]') and 1 or 0)
  end
  return math.max(line, 1)
end

return M
