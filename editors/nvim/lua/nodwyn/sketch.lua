-- A change as marks in the file where it would be: removed lines where they are, added ones between them, and the keys.
--
-- Invariant: the text of the file is never touched, and erase() takes away every mark.

local arm = require('nodwyn.arm')
local hunks = require('nodwyn.hunks')

local M = {}

local ns = vim.api.nvim_create_namespace('nodwyn.inline')

---@alias nodwyn.VirtLine { [1]: string, [2]: string }[]

---@class nodwyn.Sketch What is drawn for one prompt.
---@field buf integer
---@field marks integer[]
---@field keys? integer The mark of the keys.
---@field first integer The rows where the keys apply.
---@field last integer
---@field keys_row integer
---@field above boolean Whether the added lines stand above the first line of the file.
---@field added nodwyn.VirtLine[] The added lines that stand before the keys.

---@param sketch nodwyn.Sketch
---@param row integer
---@param options vim.api.keyset.set_extmark
local function mark(sketch, row, options)
  table.insert(sketch.marks, vim.api.nvim_buf_set_extmark(sketch.buf, ns, row, 0, options))
end

--- Draws a block whose old lines are at a row: removed lines are marked where they are, added ones stand between them.
---@param sketch nodwyn.Sketch
---@param hunk nodwyn.HunkLines
---@param row integer
---@param first boolean
local function draw_hunk(sketch, hunk, row, first)
  local at, added = row - 1, {}
  local function flush()
    if #added == 0 then
      return
    end
    if first and #sketch.added == 0 then
      -- The first added lines wait for the keys, which stand right below them.
      sketch.added, sketch.keys_row, sketch.above = added, math.max(at, 0), at < 0
    else
      mark(sketch, math.max(at, 0), { virt_lines = added, virt_lines_above = at < 0 })
    end
    added = {}
  end
  for _, line in ipairs(hunk.lines) do
    local sign, text = line:sub(1, 1), line:sub(2)
    if sign == '+' then
      table.insert(added, { { '+ ' .. text, 'NodwynAdded' } })
    else
      flush()
      at = at + 1
      if sign == '-' then
        mark(sketch, at, { line_hl_group = 'NodwynRemoved' })
        sketch.keys_row = first and #sketch.added == 0 and at or sketch.keys_row
      end
    end
  end
  flush()
  if first then
    sketch.first, sketch.last = math.max(row, 0), math.max(at, 0)
  end
end

--- Draws a block as text, for a file that does not have its lines any more.
---@param sketch nodwyn.Sketch
---@param hunk nodwyn.HunkLines
---@param first boolean
local function draw_text(sketch, hunk, first)
  local groups = { ['+'] = 'NodwynAdded', ['-'] = 'NodwynRemoved' }
  local lines = { { { "your file differs here from the session's:", 'NodwynContext' } } }
  for _, line in ipairs(hunk.lines) do
    table.insert(lines, { { line, groups[line:sub(1, 1)] or 'NodwynContext' } })
  end
  local row = math.min(math.max(hunk.first - 1, 0), vim.api.nvim_buf_line_count(sketch.buf) - 1)
  if not first then
    return mark(sketch, row, { virt_lines = lines })
  end
  sketch.added, sketch.keys_row, sketch.first, sketch.last = lines, row, row, row
end

--- Draws a change in a buffer, without the keys.
---@param buf integer
---@param diff string
---@return nodwyn.Sketch
function M.draw(buf, diff)
  local sketch = { buf = buf, marks = {}, first = 0, last = 0, keys_row = 0, above = false, added = {} }
  local text = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for i, hunk in ipairs(hunks.parse(diff)) do
    local row = hunks.find(text, hunk)
    if row then
      draw_hunk(sketch, hunk, row, i == 1)
    else
      draw_text(sketch, hunk, i == 1)
    end
  end
  return sketch
end

--- Breaks the keys over lines that fit.
---@param pieces { [1]: string, [2]: string }[]
---@param width integer
---@return nodwyn.VirtLine[]
local function wrap(pieces, width)
  local out, used = { {} }, 0
  for i = 1, #pieces, 2 do
    local needs = vim.fn.strdisplaywidth(pieces[i][1] .. pieces[i + 1][1])
    if used > 0 and used + needs > width then
      table.insert(out, {})
      used = 0
    end
    vim.list_extend(out[#out], { pieces[i], pieces[i + 1] })
    used = used + needs
  end
  return out
end

--- Returns the row of the keys, from 0, which moves with the text above it.
---@param sketch nodwyn.Sketch
---@return integer
function M.row(sketch)
  return vim.api.nvim_buf_get_extmark_by_id(sketch.buf, ns, sketch.keys, {})[1] or sketch.keys_row
end

--- Says whether a row belongs to the first block of the change.
---@param sketch nodwyn.Sketch
---@param row integer
---@return boolean
function M.covers(sketch, row)
  local moved = M.row(sketch) - sketch.keys_row
  return row >= sketch.first + moved and row <= sketch.last + moved
end

--- Draws the question and its keys below the first added lines, and again when the keys begin or cease to work.
---@param sketch nodwyn.Sketch
---@param prompt nodwyn.Prompt
---@param choices nodwyn.Choice[]
---@param armed boolean
function M.draw_keys(sketch, prompt, choices, armed)
  local most = require('nodwyn.config').current().inline_lines
  local lines = vim.list_slice(sketch.added, 1, most)
  if #sketch.added > most then
    local more = ('… %d more lines, in the session window'):format(#sketch.added - most)
    table.insert(lines, { { more, 'NodwynContext' } })
  end
  table.insert(
    lines,
    { { ' ' .. prompt.title .. '? ', 'NodwynWaiting' }, { prompt.params.why or '', 'NodwynContext' } }
  )
  vim.list_extend(lines, wrap(arm.legend(choices, armed), math.max(vim.o.columns / 2, 40)))
  local row = sketch.keys and M.row(sketch) or sketch.keys_row
  sketch.keys = vim.api.nvim_buf_set_extmark(sketch.buf, ns, row, 0, {
    id = sketch.keys,
    virt_lines = lines,
    virt_lines_above = sketch.above,
  })
end

--- Takes away all that was drawn.
---@param sketch nodwyn.Sketch
function M.erase(sketch)
  for _, drawn in ipairs(vim.list_extend({ sketch.keys }, sketch.marks)) do
    vim.api.nvim_buf_del_extmark(sketch.buf, ns, drawn)
  end
end

return M
