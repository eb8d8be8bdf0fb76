-- A prompt in a float at the corner. It never takes the focus.

local arm = require('nodwyn.arm')

require('nodwyn.highlight')

local M = {}

local text_ns = vim.api.nvim_create_namespace('nodwyn.float.text')
local keys_ns = vim.api.nvim_create_namespace('nodwyn.float.keys')

---@alias nodwyn.Line { text: string, group?: string }

---@class nodwyn.FloatLayout
---@field lines nodwyn.Line[] As wide as the float at most.
---@field keys_row integer The line below which the keys stand.
---@field width integer
---@field height integer

--- Breaks a line into pieces that fit, between words where there are any.
---@param line nodwyn.Line
---@param width integer
---@param out nodwyn.Line[]
local function fold(line, width, out)
  local rest = line.text
  repeat
    local piece, used = rest, vim.fn.strdisplaywidth(rest)
    while used > width do
      piece = vim.fn.strcharpart(piece, 0, vim.fn.strchars(piece) - math.max(math.floor((used - width) / 2), 1))
      used = vim.fn.strdisplaywidth(piece)
    end
    if piece ~= rest then
      piece = piece:match('^(.*%S%s+)%S*$') or piece
    end
    table.insert(out, { text = piece, group = line.group })
    rest = rest:sub(#piece + 1)
  until rest == '' or piece == ''
end

--- Decides the size, and where the keys stand: below the text, or above one that is too long to be in view with them.
---@param title string
---@param lines nodwyn.Line[]
---@param keys integer How many lines the keys take.
---@return nodwyn.FloatLayout
local function layout(title, lines, keys)
  local most = math.max(math.min(vim.o.columns - 6, 100), 20)
  local width = math.max(vim.fn.strdisplaywidth(title) + 4, 40)
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line.text) + 2)
  end
  width = math.min(width, most)
  local out = {}
  for _, line in ipairs(lines) do
    fold(line, width - 2, out)
  end
  local room = math.max(math.floor(vim.o.lines * 0.6), keys + 3)
  local fits = #out + keys <= room
  if not fits then
    table.insert(out, 1, { text = ('%d lines, which stand below the keys'):format(#out), group = 'NodwynWaiting' })
  end
  local height = math.min(math.max(#out, 1) + keys, room)
  return { lines = out, keys_row = fits and math.max(#out, 1) - 1 or 0, width = width, height = height }
end

---@param buf integer
---@param row integer
---@param choices nodwyn.Choice[]
---@param armed boolean
---@param way? string How a person who is elsewhere comes here.
local function legend(buf, row, choices, armed, way)
  vim.api.nvim_buf_clear_namespace(buf, keys_ns, 0, -1)
  local rows = vim.tbl_map(function(choice)
    return arm.legend({ choice }, armed)
  end, choices)
  if way then
    local away = vim.api.nvim_get_current_buf() ~= buf
    table.insert(rows, { { away and (' %s brings you here'):format(way) or '', 'NodwynContext' } })
  end
  vim.api.nvim_buf_set_extmark(buf, keys_ns, row, 0, { virt_lines = rows })
end

---@param lines nodwyn.Line[]
---@return integer
local function buffer(lines)
  local buf = vim.api.nvim_create_buf(false, true)
  local text = vim.tbl_map(function(line)
    return ' ' .. line.text
  end, lines)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, text)
  for i, line in ipairs(lines) do
    if line.group then
      vim.api.nvim_buf_set_extmark(buf, text_ns, i - 1, 0, { line_hl_group = line.group })
    end
  end
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].filetype = 'nodwyn-prompt'
  return buf
end

---@param title string
---@param l nodwyn.FloatLayout
local function place(title, l)
  title = title:gsub('%s+', ' ')
  if vim.fn.strdisplaywidth(title) > l.width - 4 then
    title = vim.fn.strcharpart(title, 0, l.width - 5) .. '…'
  end
  return {
    relative = 'editor',
    anchor = 'SE',
    row = vim.o.lines - vim.o.cmdheight - 1,
    col = vim.o.columns - 1,
    width = l.width,
    height = l.height,
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(title),
    zindex = 60,
    noautocmd = true,
  }
end

---@class nodwyn.Float
---@field close fun()
---@field go fun() Brings the person into it; one that they closed without an answer opens again.

--- Opens a float without the focus.
---@param title string
---@param lines nodwyn.Line[]
---@param choices nodwyn.Choice[]
---@param way? string The command that brings the person here, if there is one.
---@return nodwyn.Float
function M.open(title, lines, choices, way)
  local l = layout(title, lines, #choices + (way and 1 or 0))
  local buf = buffer(l.lines)
  local win = vim.api.nvim_open_win(buf, false, place(title, l))
  vim.wo[win][0].winhighlight = 'FloatBorder:NodwynWaiting,FloatTitle:NodwynWaiting'
  legend(buf, l.keys_row, choices, false, way)
  local release = arm.watch({
    buf = buf,
    choices = choices,
    ms = require('nodwyn.config').current().arm_ms,
    here = function()
      return true
    end,
    told = function(armed)
      if vim.api.nvim_buf_is_valid(buf) then
        legend(buf, l.keys_row, choices, armed, way)
      end
    end,
  })
  local float = {}
  function float.close()
    release()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  function float.go()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_set_current_win(win)
      return legend(buf, l.keys_row, choices, false, way)
    end
    release()
    local again = M.open(title, lines, choices, way)
    float.close, float.go = again.close, again.go
    again.go()
  end
  return float
end

return M
