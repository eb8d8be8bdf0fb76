-- The buffer and the window of a session: its cards, and below them the reply that streams in.
--
-- Invariant: the text of a buffer is the drawn cards in their order and nothing else; nobody types into it.

local cards = require('nodwyn.cards')
local words = require('nodwyn.words')

require('nodwyn.highlight')

local M = {}

local ns = vim.api.nvim_create_namespace('nodwyn.session')

---@class nodwyn.Drawn
---@field buf integer
---@field heights integer[] The lines of each block; the first is the head.
---@field preview integer How many lines the preview takes.

---@type table<string, nodwyn.Drawn>
local drawn = {}

---@param s nodwyn.Session
---@return nodwyn.Block
local function head(s)
  local out = { lines = {}, marks = {} }
  local function add(text, group)
    table.insert(out.lines, text)
    table.insert(out.marks, { row = #out.lines - 1, from = 0, group = group })
  end
  local tree = s.state and s.state.worktree
  local mode = s.state and ', ' .. s.state.mode or ''
  local branch = tree and tree.branch or s.branch
  add(branch and 'branch ' .. branch or 'session ' .. s.id .. mode, 'NodwynContext')
  if tree and tree.carried then
    add('your uncommitted work came along; diffs and landings do not count it', 'NodwynAllowed')
  end
  if tree and tree.uncommitted + tree.untracked > 0 then
    local what, single = words.own(tree.uncommitted, tree.untracked)
    add(('%s %s not in it'):format(what, single and 'is' or 'are'), 'NodwynWaiting')
  end
  if s.unfinished then
    add('the last turn was cut off: C takes it up', 'NodwynWaiting')
  end
  if s.state and s.state.mode ~= 'edit' then
    add('this session only reads: D lets it do what it says', 'NodwynContext')
  end
  add('', 'NodwynContext')
  return out
end

--- Lists the windows that should stay at the end of the buffer.
---@param buf integer
local function at_end(buf)
  local count = vim.api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_cursor(win)[1] == count
  end, vim.fn.win_findbuf(buf))
end

--- Replaces the lines from row up to stop, and keeps windows at the end that were there.
---@param buf integer
---@param row integer
---@param stop integer
---@param block nodwyn.Block
local function replace(buf, row, stop, block)
  local follow = at_end(buf)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, row, stop, false, block.lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  for _, mark in ipairs(block.marks) do
    vim.api.nvim_buf_set_extmark(buf, ns, row + mark.row, mark.from, {
      end_row = mark.to and row + mark.row or row + mark.row + 1,
      end_col = mark.to or 0,
      hl_group = mark.group,
      hl_eol = true,
      strict = false,
      priority = 200,
    })
  end
  local count = vim.api.nvim_buf_line_count(buf)
  for _, win in ipairs(follow) do
    vim.api.nvim_win_set_cursor(win, { count, 0 })
  end
end

---@param d nodwyn.Drawn
---@param upto integer
local function row_of(d, upto)
  local row = 0
  for i = 1, upto - 1 do
    row = row + (d.heights[i] or 0)
  end
  return row
end

--- Draws a card, or all of them; nothing happens while nobody has the buffer.
---@param s nodwyn.Session
---@param at? integer
function M.draw(s, at)
  local d = drawn[s.id]
  if not d then
    return
  end
  local first, final = at or 0, at or #s.cards
  if not at then
    vim.api.nvim_buf_clear_namespace(d.buf, ns, 0, -1)
    replace(d.buf, 0, -1, { lines = { '' }, marks = {} })
    d.heights, d.preview = {}, 1
  end
  for i = first, final do
    local block = i == 0 and head(s) or cards.block(s.cards[i])
    local row = row_of(d, i + 1)
    vim.api.nvim_buf_clear_namespace(d.buf, ns, row, row + (d.heights[i + 1] or 0))
    replace(d.buf, row, row + (d.heights[i + 1] or 0), block)
    d.heights[i + 1] = #block.lines
  end
  M.draw_preview(s)
end

--- Draws the reply that streams in below the cards: the thinking until the answer begins.
---@param s nodwyn.Session
function M.draw_preview(s)
  local d = drawn[s.id]
  if not d then
    return
  end
  local row = row_of(d, #d.heights + 1)
  local p = s.preview
  local answer = p and (#p.text > 1 or p.text[1] ~= '')
  local block = { lines = p and vim.list_slice(answer and p.text or p.thinking) or { '' }, marks = {} }
  for i = 1, p and #block.lines or 0 do
    table.insert(block.marks, { row = i - 1, from = 0, group = answer and 'NodwynPreview' or 'NodwynThinking' })
  end
  vim.api.nvim_buf_clear_namespace(d.buf, ns, row, -1)
  replace(d.buf, row, -1, block)
  d.preview = #block.lines
end

---@param s nodwyn.Session
---@return integer
local function buffer(s)
  if drawn[s.id] then
    return drawn[s.id].buf
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, 'nodwyn://' .. s.id)
  vim.b[buf].nodwyn_session = s.id
  vim.bo[buf].modifiable = false
  vim.bo[buf].bufhidden = 'hide'
  drawn[s.id] = { buf = buf, heights = {}, preview = 1 }
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      drawn[s.id] = nil
    end,
  })
  -- Last, so that a person's own settings for the type find a finished buffer.
  vim.bo[buf].filetype = 'nodwyn'
  M.draw(s)
  return buf
end

--- Returns the window of this tab page that shows any session.
---@return integer?
function M.window()
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.b[vim.api.nvim_win_get_buf(win)].nodwyn_session and vim.api.nvim_win_get_config(win).relative == '' then
      return win
    end
  end
end

local LOOK = {
  wrap = true,
  linebreak = true,
  number = false,
  relativenumber = false,
  signcolumn = 'no',
  spell = false,
  winbar = "%{%v:lua.require'nodwyn.buffer'.winbar()%}",
}

-- For those who have no status line of their own: the buffer's name is made of an id, which says nothing.
local STATUSLINE = " %<%{%v:lua.require'nodwyn.buffer'.title()%}%= %P "

local SPLITS = { right = 'botright vertical', left = 'topleft vertical', above = 'topleft', below = 'botright' }

---@return integer
local function open_window()
  local config = require('nodwyn.config').current()
  local side = config.position == 'right' or config.position == 'left'
  local size = math.floor((side and vim.o.columns or vim.o.lines) * config.size)
  local from = vim.api.nvim_get_current_win()
  vim.cmd(('%s %dsplit'):format(SPLITS[config.position], size))
  local win = vim.api.nvim_get_current_win()
  vim.api.nvim_set_current_win(from)
  return win
end

--- Puts a session's buffer into a window. The look belongs to both of them, so that another session there needs its own.
---@param win integer
---@param buf integer
local function fill(win, buf)
  vim.api.nvim_win_set_buf(win, buf)
  for option, value in pairs(LOOK) do
    vim.wo[win][0][option] = value
  end
  if vim.go.statusline == vim.api.nvim_get_option_info2('statusline', {}).default then
    vim.wo[win][0].statusline = STATUSLINE
  end
end

--- Shows a session in its window, without the focus unless it is asked for.
---@param s nodwyn.Session
---@param focus? boolean
function M.show(s, focus)
  local buf = buffer(s)
  local win = M.window() or open_window()
  fill(win, buf)
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
  if focus then
    vim.api.nvim_set_current_win(win)
  end
end

--- Names the session of the current window: by its title, else by what was asked first.
---@return string
function M.title()
  local s = vim.b.nodwyn_session and require('nodwyn.session').of(vim.b.nodwyn_session)
  local first = s and vim.iter(s.cards):find(function(card)
    return card.kind == 'ask'
  end)
  local title = s and s.title or first and first.body.text or 'a new session'
  return (title:gsub('%c+', ' '):gsub('%%', '%%%%'))
end

--- The bar above a session window: what it is doing, and how to learn the keys.
---@return string
function M.winbar()
  local id = vim.b.nodwyn_session
  if not id then
    return ''
  end
  local status, s = require('nodwyn.status'), require('nodwyn.session').of(id)
  local met = status.overlap(s)
  local mark = met ~= '' and ('  %%#NodwynWaiting#%s%%*'):format(met) or ''
  return ' ' .. status.text(s):gsub('%%', '%%%%') .. mark .. '%=g? keys '
end

return M
