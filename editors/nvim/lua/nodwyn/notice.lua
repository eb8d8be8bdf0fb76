-- Says that something happened to a person who is not looking.

local M = {}

local focused = true

local group = vim.api.nvim_create_augroup('nodwyn.notice', {})
for event, value in pairs({ FocusGained = true, FocusLost = false }) do
  vim.api.nvim_create_autocmd(event, {
    group = group,
    callback = function()
      focused = value
    end,
  })
end

--- Shows a line that does not ask for a key press, whatever its length.
---@param text string
function M.line(text)
  text = text:gsub('%s+', ' ')
  local room = math.max(vim.v.echospace, 20)
  if vim.fn.strdisplaywidth(text) > room then
    text = vim.fn.strcharpart(text, 0, room - 1) .. '…'
  end
  vim.notify(text)
end

---@param id string
---@return boolean
local function looked_at(id)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.b[vim.api.nvim_win_get_buf(win)].nodwyn_session == id then
      return focused
    end
  end
  return false
end

--- Tells what a session came to, unless its window is in view. A terminal that knows how shows it outside Neovim too.
---@param id string
---@param what string
function M.say(id, what)
  if looked_at(id) or not require('nodwyn.config').current().notify then
    return
  end
  M.line('nodwyn: ' .. what)
  if not focused and vim.api.nvim_ui_send then
    vim.api.nvim_ui_send(('\27]9;nodwyn: %s\27\\'):format((what:gsub('%c', ' '))))
  end
end

return M
