-- A change that waits for permission, drawn in the person's own file at the place where it would be.
--
-- Invariant: the text of the file is never touched; all that is drawn are marks, and they go with the prompt.

local arm = require('nodwyn.arm')
local prompts = require('nodwyn.prompts')
local sketches = require('nodwyn.sketch')

local M = {}

--- Returns the file of a prompt in the person's checkout, if there is one to draw in.
---@param prompt nodwyn.Prompt
---@return string?
local function file_of(prompt)
  local p = prompt.params
  if p.op ~= 'write' or not p.diff or not p.path then
    return nil
  end
  local session = require('nodwyn.session')
  local file = session.checkout(session.of(p.session), p.path)
  return vim.fn.filereadable(file) == 1 and file or nil
end

---@param prompt nodwyn.Prompt
---@return boolean
function M.possible(prompt)
  return file_of(prompt) ~= nil
end

--- Finds a window of this tab page for a file, and one that may be turned to it if the person is not in it.
---@param buf integer
---@return integer? shown, integer? free
local function windows(buf)
  local shown, free
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local its = vim.api.nvim_win_get_buf(win)
    local ordinary = vim.bo[its].buftype == '' and vim.api.nvim_win_get_config(win).relative == ''
    if its == buf and (not shown or win == vim.api.nvim_get_current_win()) then
      shown = win
    elseif ordinary and not vim.wo[win].winfixbuf then
      free = free or win
    end
  end
  return shown, free
end

--- Picks the window for the change. A person in another window than the session's is reading something, which is not taken away.
---@param buf integer
---@param asked boolean
---@return integer?
local function window_for(buf, asked)
  local shown, free = windows(buf)
  if shown then
    return shown
  end
  if not free or not asked and not vim.b.nodwyn_session then
    return nil
  end
  vim.api.nvim_win_set_buf(free, buf)
  return free
end

--- Moves a window to the change, but not the one in which the person is unless they asked.
---@param win integer
---@param sketch nodwyn.Sketch
---@param asked boolean
local function reveal(win, sketch, asked)
  if win == vim.api.nvim_get_current_win() and not asked then
    return
  end
  vim.api.nvim_win_set_cursor(win, { sketches.row(sketch) + 1, 0 })
  vim.api.nvim_win_call(win, function()
    vim.cmd('normal! zz')
    if sketch.above then
      -- Lines above the first one are out of sight unless the view makes room for them.
      vim.fn.winrestview({ topline = 1, topfill = #sketch.added + 4 })
    end
  end)
end

--- Makes the keys work while the cursor rests on the change.
---@param sketch nodwyn.Sketch
---@param prompt nodwyn.Prompt
---@return fun() release
local function watch(sketch, prompt)
  local choices = prompts.choices(prompt)
  sketches.draw_keys(sketch, prompt, choices, false)
  return arm.watch({
    buf = sketch.buf,
    choices = choices,
    ms = require('nodwyn.config').current().arm_ms,
    here = function()
      return sketches.covers(sketch, vim.api.nvim_win_get_cursor(0)[1] - 1)
    end,
    told = function(armed)
      if vim.api.nvim_buf_is_loaded(sketch.buf) then
        sketches.draw_keys(sketch, prompt, choices, armed)
      end
    end,
  })
end

--- Draws a prompt in its file and says whether it could.
---@param prompt nodwyn.Prompt
---@param asked? boolean Whether the person wants to be brought there.
---@return boolean
function M.show(prompt, asked)
  local file = file_of(prompt)
  local buf = file and vim.fn.bufadd(file)
  local win = buf and window_for(buf, asked or false)
  if not win then
    return false
  end
  vim.fn.bufload(buf)
  vim.bo[buf].buflisted = true
  local sketch = sketches.draw(buf, prompt.params.diff)
  local release = watch(sketch, prompt)
  reveal(win, sketch, asked or false)
  prompt.close = function()
    release()
    if vim.api.nvim_buf_is_loaded(buf) then
      sketches.erase(sketch)
    end
  end
  prompt.go = function()
    if not vim.api.nvim_buf_is_loaded(buf) then
      -- The person closed the file, and its marks went with it.
      prompt.close()
      M.show(prompt, true)
      return prompt.go()
    end
    local target = window_for(buf, true)
    if target then
      vim.api.nvim_set_current_win(target)
      reveal(target, sketch, true)
    end
  end
  return true
end

return M
