-- The session's tree as a place to work in: a tab page, or a shell.

local session = require('nodwyn.session')

local M = {}

--- Calls with the folder of a session's tree. One that was removed is made again by opening the session.
---@param s nodwyn.Session
---@param act fun(folder: string)
local function with(s, act)
  if not session.held(s) then
    return session.resume(s, function()
      with(s, act)
    end)
  end
  if not s.state.worktree then
    return require('nodwyn.notice').line('nodwyn: this session has no tree of its own, it works in ' .. s.state.repo)
  end
  if session.checking_out(s) then
    return require('nodwyn.notice').line("nodwyn: the session's tree is still being checked out")
  end
  act(s.state.worktree.path)
end

--- Opens a tab page whose folder is the tree, with the file that the person was in as it is there.
---@param s nodwyn.Session
function M.tab(s)
  local name = vim.bo.buftype == '' and session.inside(vim.api.nvim_buf_get_name(0)) or nil
  with(s, function(folder)
    local file = name and vim.fs.joinpath(folder, name)
    vim.cmd.tabnew(file and vim.fn.filereadable(file) == 1 and vim.fn.fnameescape(file) or nil)
    vim.cmd.tcd({ vim.fn.fnameescape(folder), mods = { silent = true } })
    require('nodwyn.notice').line('nodwyn: this tab page works in ' .. vim.fn.fnamemodify(folder, ':~'))
  end)
end

--- Opens a shell in the tree.
---@param s nodwyn.Session
function M.shell(s)
  with(s, function(folder)
    require('nodwyn.terminal').open({ vim.o.shell }, folder)
  end)
end

return M
