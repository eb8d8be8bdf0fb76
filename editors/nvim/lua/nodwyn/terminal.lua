-- A terminal window of the person's own, with a command or their shell in it.

local M = {}

--- Opens a terminal below the other windows and puts the person into it. One whose command succeeded closes; one that failed stays, since its words are in it.
---@param cmd string[]
---@param cwd? string
---@param done? fun() Called after success.
function M.open(cmd, cwd, done)
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].bufhidden = 'wipe'
  local options = {
    cwd = cwd,
    on_exit = vim.schedule_wrap(function(_, code)
      if code ~= 0 then
        return
      end
      if vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
      if done then
        done()
      end
    end),
  }
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    vim.fn.jobstart(cmd, options)
  else
    vim.fn.termopen(cmd, options)
  end
  vim.cmd.startinsert()
end

return M
