-- The blocks of a unified diff, and where they are in a buffer that may have moved on.

local M = {}

---@class nodwyn.HunkLines
---@field first integer The first old line, from 1.
---@field lines string[] Each with its sign.

---@param diff string
---@return nodwyn.HunkLines[]
function M.parse(diff)
  local out = {}
  for _, line in ipairs(vim.split((diff:gsub('\n$', '')), '\n', { plain = true })) do
    local first = line:match('^@@ %-(%d+)')
    if first then
      table.insert(out, { first = tonumber(first), lines = {} })
    elseif #out > 0 and not vim.startswith(line, '\\') then
      table.insert(out[#out].lines, line)
    end
  end
  return out
end

---@param hunk nodwyn.HunkLines
---@return string[]
local function old_lines(hunk)
  local out = {}
  for _, line in ipairs(hunk.lines) do
    if line:sub(1, 1) ~= '+' then
      table.insert(out, line:sub(2))
    end
  end
  return out
end

---@param text string[]
---@param row integer
---@param old string[]
local function matches(text, row, old)
  for i, line in ipairs(old) do
    if text[row + i] ~= line then
      return false
    end
  end
  return true
end

--- Finds the row of a block's first old line, from 0, the nearest to where the diff says. Nil when the buffer does not have those lines.
---@param text string[]
---@param hunk nodwyn.HunkLines
---@return integer?
function M.find(text, hunk)
  local old = old_lines(hunk)
  local guess = math.max(hunk.first - 1, 0)
  for distance = 0, #old > 0 and #text or 0 do
    for _, row in ipairs({ guess - distance, guess + distance }) do
      if row >= 0 and row + #old <= #text and matches(text, row, old) then
        return row
      end
    end
  end
end

return M
