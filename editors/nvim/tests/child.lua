-- A Neovim with a person in it: what they type and press, and what they see.
--
-- Invariant: whatever comes next waits for a state that can be seen. Only rest() lets time pass, to see that nothing happens in it.

local patience = 20000

---@class Child A Neovim with a person in it.
---@field channel integer
---@field pid integer
---@field pressed integer Keystrokes, typed text aside.
local Child = {}
Child.__index = Child

--- Waits until a process is gone. One that nobody has waited for yet is gone too.
function Child.gone(pid)
  return vim.wait(patience, function()
    local stat = io.open(('/proc/%d/stat'):format(pid))
    local state = stat and stat:read('*a'):match('%) (%a)')
    if stat then
      stat:close()
    end
    return state == 'Z' or vim.uv.kill(pid, 0) ~= 0
  end, 20)
end

--- Runs Lua in it and returns what that returns.
function Child:lua(code, ...)
  return vim.fn.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
end

--- Types text; it does not count as keystrokes.
function Child:type(text)
  vim.fn.rpcrequest(self.channel, 'nvim_input', text)
end

--- Presses keys.
---@param ... string
function Child:press(...)
  for _, key in ipairs({ ... }) do
    self.pressed = self.pressed + 1
    vim.fn.rpcrequest(self.channel, 'nvim_input', key)
  end
end

--- Gives a command as a person does: `:`, the text, Enter.
---@param text string
function Child:command(text)
  self:press(':')
  self:type(text:gsub('<', '<lt>'))
  self:press('<CR>')
end

--- Waits until the Lua expression is true, and returns what it is.
---@param what string
---@param code string
function Child:await(what, code, ...)
  local value
  local arguments = { ... }
  local ok = vim.wait(patience, function()
    value = self:lua(code, unpack(arguments))
    return value and value ~= vim.NIL
  end, 20)
  if not ok then
    error('nothing came of: ' .. what, 2)
  end
  return value
end

--- Waits until a line of the session's buffer holds the text.
---@param text string
function Child:await_line(text)
  self:await(
    'a line with ' .. vim.inspect(text),
    [[
    local text = ...
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.bo[buf].filetype == 'nodwyn' and vim.iter(vim.api.nvim_buf_get_lines(buf, 0, -1, false)):any(function(line)
        return line:find(text, 1, true) ~= nil
      end) then
        return true
      end
    end]],
    text
  )
end

--- Waits until the screen shows the text.
---@param text string
function Child:await_screen(text)
  local ok = vim.wait(patience, function()
    return self:screen():find(text, 1, true) ~= nil
  end, 20)
  if not ok then
    error('the screen never shows ' .. vim.inspect(text), 2)
  end
end

--- Waits until the person was told the text.
---@param text string
function Child:await_told(text)
  self:await(
    'being told ' .. vim.inspect(text),
    [[
    local text = ...
    return vim.iter(_G.told):any(function(said) return said:find(text, 1, true) ~= nil end)]],
    text
  )
end

--- Says whether a key answers a prompt in the current buffer.
local ARMED =
  [[local m = vim.fn.maparg(..., 'n', false, true); return m.buffer == 1 and (m.desc or ''):find('nodwyn') ~= nil]]

--- Waits until a key answers in the current buffer, without pressing it.
---@param key string
function Child:await_key(key)
  self:await('the key ' .. key, ARMED, key)
end

--- Presses a key once it answers. Neovim takes keys before anything else, so that nothing can come between the look and the press.
---@param key string
function Child:answer_by(key)
  self.pressed = self.pressed + 1
  self:await(
    'the key ' .. key,
    [[
    local key, armed = ...
    if loadstring(armed)(key) then
      vim.api.nvim_input(key)
      return true
    end]],
    key,
    ARMED
  )
end

--- Waits until the server asks about something whose text this is. Its card comes before that, and cannot be answered.
---@param text string
function Child:await_prompt(text)
  self:await(
    'a prompt with ' .. vim.inspect(text),
    [[
    local text = ...
    local prompt = require('nodwyn.prompts').open()[1]
    if not prompt then return false end
    local lines = { prompt.title }
    for _, line in ipairs(prompt.lines) do table.insert(lines, line.text) end
    return table.concat(lines, '\n'):find(text, 1, true) ~= nil]],
    text
  )
end

--- Answers the prompt with that text by a command.
---@param text string
---@param word string
function Child:answer(text, word)
  self:await_prompt(text)
  self:command('Nodwyn answer ' .. word)
end

--- Waits until the person is in a list that has the text.
---@param text string
function Child:await_list(text)
  self:await(
    'a list with ' .. vim.inspect(text),
    [[
    return vim.bo.filetype == 'nodwyn-list'
      and table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find(..., 1, true) ~= nil]],
    text
  )
end

--- Waits until the session that is meant does nothing.
function Child:await_idle()
  self:await(
    'the end of the turn',
    [[
    local s = require('nodwyn.session').here()
    return s and s.status == 'idle' and #s.cards > 1]]
  )
end

--- Lets the cursor rest for longer than the keys of a prompt take by default here. Timers of one loop fire in their order: when this one has, theirs had their chance.
function Child:rest()
  self:lua([[vim.g.rested = 0; vim.defer_fn(function() vim.g.rested = 1 end, 200)]])
  self:await('the rest', [[return vim.g.rested == 1]])
end

--- The lines of the session's buffer.
---@return string[]
function Child:session_lines()
  return self:lua([[
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.bo[buf].filetype == 'nodwyn' then
        return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
      end
    end
    return {}]])
end

--- The id of the session of the folder.
---@return string
function Child:session()
  return self:lua([[local s = require('nodwyn.session').here(); return s and s.id or '']])
end

--- What the screen shows.
---@return string
function Child:screen()
  return self:lua([[
    vim.cmd.redraw()
    local rows = {}
    for row = 1, vim.o.lines do
      local cells = {}
      for col = 1, vim.o.columns do
        cells[col] = vim.fn.screenstring(row, col)
      end
      rows[row] = (table.concat(cells):gsub('%s+$', ''))
    end
    return table.concat(rows, '\n')]])
end

--- Ends it as a person does, and waits for its server, which holds the sessions until they are on record.
function Child:quit()
  local server = self:server()
  pcall(vim.fn.rpcrequest, self.channel, 'nvim_command', 'qall!')
  assert(Child.gone(self.pid), 'Neovim did not end')
  assert(Child.gone(server), 'the server outlived Neovim')
end

--- Ends it as a crash does.
---@param pid? integer Its server instead.
function Child:kill(pid)
  if pid then
    vim.uv.kill(pid, 'sigkill')
    return assert(Child.gone(pid), 'the server did not end')
  end
  vim.uv.kill(self.pid, 'sigkill')
  assert(Child.gone(self.pid), 'Neovim did not end')
end

--- The process of its server.
---@return integer
function Child:server()
  return assert(vim.api.nvim_get_proc_children(self.pid)[1], 'no server runs')
end

return Child
