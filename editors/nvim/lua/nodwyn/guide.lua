-- The help page, also where nobody has run :helptags.

local M = {}

--- Opens the page at a tag.
---@param tag string
function M.open(tag)
  if not pcall(vim.cmd.help, tag) then
    local page = vim.api.nvim_get_runtime_file('doc/nodwyn.txt', false)[1]
    vim.cmd(([[sview +/\*%s\* ]]):format(tag) .. vim.fn.fnameescape(page))
    vim.bo.buflisted = false
    -- As a help page: what is asked here is about the folder and not about the page.
    vim.bo.buftype = 'help'
  end
  vim.cmd('normal! zt')
end

return M
