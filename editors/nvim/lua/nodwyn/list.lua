-- A list in a float that the person asked for: it has the focus, a line is an entry, and `q` leaves it.

local M = {}

---@class nodwyn.List
---@field buf integer
---@field win integer

--- Opens a list. Its keys get the number of the entry under the cursor.
---@param title string
---@param footer string
---@param keys table<string, fun(entry: integer)>
---@return nodwyn.List
function M.open(title, footer, keys)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  local width = math.min(90, math.max(vim.o.columns - 8, 20))
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'editor',
    row = 2,
    col = math.floor((vim.o.columns - width) / 2),
    width = width,
    height = 1,
    style = 'minimal',
    border = 'rounded',
    title = (' %s '):format(title),
    footer = (' %s, q leaves '):format(footer),
  })
  vim.wo[win][0].cursorline = true
  vim.wo[win][0].linebreak = true
  vim.wo[win][0].breakindent = true
  for key, act in pairs(keys) do
    vim.keymap.set('n', key, function()
      act(vim.api.nvim_win_get_cursor(win)[1])
    end, { buffer = buf, nowait = true })
  end
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, nowait = true })
  vim.bo[buf].filetype = 'nodwyn-list'
  return { buf = buf, win = win }
end

--- Counts the screen lines that a window needs, with those that long lines go on in.
---@param win integer
---@param lines integer
---@return integer
function M.height(win, lines)
  -- Neovim 0.10 is the first that knows.
  return math.max(lines, vim.api.nvim_win_text_height(win, {}).all)
end

--- Gives a list its lines, and says whether it was still open.
---@param list nodwyn.List
---@param lines string[]
---@return boolean
function M.fill(list, lines)
  if not vim.api.nvim_buf_is_valid(list.buf) then
    return false
  end
  vim.bo[list.buf].modifiable = true
  vim.api.nvim_buf_set_lines(list.buf, 0, -1, false, lines)
  vim.bo[list.buf].modifiable = false
  if vim.api.nvim_win_is_valid(list.win) then
    vim.api.nvim_win_set_height(list.win, math.min(M.height(list.win, #lines), math.max(vim.o.lines - 8, 1)))
  end
  return true
end

--- Closes a list.
---@param list nodwyn.List
function M.close(list)
  if vim.api.nvim_win_is_valid(list.win) then
    vim.api.nvim_win_close(list.win, true)
  end
end

return M
