-- The float in which the person writes more than a word.

local M = {}

---@class nodwyn.Input
---@field buf integer
---@field win integer

--- Asks for text of any number of lines. An empty text is none.
---@param title string
---@param text string
---@param done fun(text: string)
---@return nodwyn.Input
function M.open(title, text, done)
  local buf = vim.api.nvim_create_buf(false, true)
  local lines = vim.split(text, '\n', { plain = true })
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = 'wipe'
  local width = math.min(80, math.max(vim.o.columns - 8, 20))
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'editor',
    row = math.floor(vim.o.lines / 3),
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = math.min(math.max(#lines, 5), math.max(vim.o.lines - 6, 1)),
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(title),
    footer = ' Enter sends, Ctrl-J breaks the line, q leaves ',
    zindex = 70,
  })
  vim.wo[win][0].wrap = true
  local function close()
    vim.cmd.stopinsert()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  local function send()
    local written = vim.trim(table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n'))
    close()
    if written ~= '' then
      done(written)
    end
  end
  vim.keymap.set({ 'n', 'i' }, '<CR>', send, { buffer = buf })
  vim.keymap.set('i', '<C-j>', '<CR>', { buffer = buf })
  vim.keymap.set('n', 'q', close, { buffer = buf, nowait = true })
  vim.keymap.set('n', '<Esc>', close, { buffer = buf, nowait = true })
  vim.bo[buf].filetype = 'nodwyn-input'
  vim.api.nvim_win_set_cursor(win, { #lines, #lines[#lines] })
  vim.cmd.startinsert({ bang = true })
  return { buf = buf, win = win }
end

return M
