-- The world of a case: a home, a repository and a scripted model of its own, and a second Neovim in which a person works.

local M = {}

local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')
local patience = 20000

---@class World
---@field dir string
---@field home string
---@field repo string
---@field binary string
---@field replies string The file with the model's replies.
local World = {}
World.__index = World

---@type Child[]
local children = {}

local function write(path, text)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
end

function M.read(path)
  local file = assert(io.open(path))
  local text = file:read('*a')
  file:close()
  return text
end

--- Makes a world. Files are those of the repository's first commit, the replies are the model's, and the configuration is added to one that names them; false leaves it to the case.
---@param o { files?: table<string, string>, replies?: string, config?: string|false }
---@return World
function M.new(o)
  local w = setmetatable({ dir = vim.fn.tempname() }, World)
  w.home, w.repo = w.dir .. '/home', w.dir .. '/repo'
  w.binary = assert(vim.env.NODWYN, 'NODWYN names the program to test')
  local config = w.home .. '/.config/nodwyn/'
  if o.config ~= false then
    local text = '[control]\nserver = "rehearsal"\n\n[servers.rehearsal]\napi = "script"\nurl = "replies.txt"\n\n'
    write(config .. 'config.toml', text .. (o.config or ''))
  end
  w.replies = config .. 'replies.txt'
  write(w.replies, o.replies or 'say Nothing to do.\n')
  write(w.home .. '/.gitconfig', '[user]\nname = Ada Tester\nemail = ada@example.org\n[init]\ndefaultBranch = main\n')
  for name, content in pairs(o.files or { ['README.md'] = '# A project\n\nIt has a page.\n' }) do
    write(w.repo .. '/' .. name, content)
  end
  w:git('init', '-q')
  w:git('add', '-A')
  w:git('commit', '-q', '-m', 'start')
  return w
end

--- The environment of every process of this world.
function World:env()
  return {
    HOME = self.home,
    XDG_CONFIG_HOME = self.home .. '/.config',
    XDG_DATA_HOME = self.home .. '/.local/share',
    XDG_STATE_HOME = self.home .. '/.local/state',
    XDG_CACHE_HOME = self.home .. '/.cache',
    GIT_CONFIG_NOSYSTEM = '1',
    NVIM_APPNAME = 'nvim',
  }
end

---@return string
function World:run(cmd, cwd)
  local out = vim.system(cmd, { text = true, cwd = cwd, env = self:env() }):wait()
  assert(out.code == 0, table.concat(cmd, ' ') .. ': ' .. (out.stderr or ''))
  return out.stdout
end

function World:git(...)
  return self:run({ 'git', ... }, self.repo)
end

function World:write(name, text)
  write(self.repo .. '/' .. name, text)
end

function World:read(name)
  return M.read(self.repo .. '/' .. name)
end

--- The events of a kind in a session's log.
---@return table[]
function World:events(session, kind)
  local out = {}
  for line in io.lines(('%s/.local/share/nodwyn/sessions/%s.jsonl'):format(self.home, session)) do
    local event = vim.json.decode(line)
    if event.kind == kind then
      table.insert(out, event.payload)
    end
  end
  return out
end

---@class Child A Neovim with a person in it.
---@field channel integer
---@field pid integer
---@field pressed integer Keystrokes, typed text aside.
local Child = {}
Child.__index = Child

--- Starts Neovim in the repository, with the plugin and nothing else.
---@param file? string
---@param options? table What goes into vim.g.nodwyn.
---@return Child
function World:nvim(file, options)
  local cmd = { vim.v.progpath, '--embed', '--headless', '-n', '-u', 'NONE', '-i', 'NONE' }
  vim.list_extend(
    cmd,
    { '--cmd', 'set lines=32 columns=120 noswapfile | let &runtimepath="' .. root .. ',".&runtimepath' }
  )
  vim.list_extend(cmd, { '--cmd', 'filetype plugin on | runtime! plugin/nodwyn.lua', file })
  local c = setmetatable({ pressed = 0, world = self }, Child)
  c.channel = vim.fn.jobstart(cmd, { rpc = true, cwd = self.repo, env = self:env() })
  assert(c.channel > 0, 'start Neovim')
  c.pid = vim.fn.jobpid(c.channel)
  table.insert(children, c)
  options = vim.tbl_extend('keep', options or {}, { cmd = { self.binary, 'serve' }, arm_ms = 50 })
  c:lua('vim.g.nodwyn = ...', options)
  -- What a person is told, since a message passes by.
  c:lua([[_G.told = {}; vim.notify = function(text) table.insert(_G.told, text) end]])
  return c
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

--- Waits until a key answers in the current buffer.
---@param key string
function Child:await_key(key)
  self:await(
    'the key ' .. key,
    [[local m = vim.fn.maparg(..., 'n', false, true); return m.buffer == 1 and (m.desc or ''):find('nodwyn') ~= nil]],
    key
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

--- Waits until a process is gone. One that nobody has waited for yet is gone too.
local function gone(pid)
  return vim.wait(patience, function()
    local stat = io.open(('/proc/%d/stat'):format(pid))
    local state = stat and stat:read('*a'):match('%) (%a)')
    if stat then
      stat:close()
    end
    return state == 'Z' or vim.uv.kill(pid, 0) ~= 0
  end, 20)
end

--- Ends it as a person does.
function Child:quit()
  pcall(vim.fn.rpcrequest, self.channel, 'nvim_command', 'qall!')
  assert(gone(self.pid), 'Neovim did not end')
end

--- Ends it as a crash does.
---@param pid? integer Its server instead.
function Child:kill(pid)
  if pid then
    vim.uv.kill(pid, 'sigkill')
    return assert(gone(pid), 'the server did not end')
  end
  vim.uv.kill(self.pid, 'sigkill')
  assert(gone(self.pid), 'Neovim did not end')
end

--- The process of its server.
---@return integer
function Child:server()
  return assert(vim.api.nvim_get_proc_children(self.pid)[1], 'no server runs')
end

--- What every Neovim shows, for the report of a failed case.
function M.report()
  local out = {}
  for _, c in ipairs(children) do
    local ok, screen = pcall(c.screen, c)
    local _, told = pcall(c.lua, c, 'return _G.told')
    table.insert(out, '\n--- screen ---\n' .. (ok and screen or 'gone') .. '\n--- told ---\n' .. vim.inspect(told))
  end
  return table.concat(out)
end

--- Ends what a case started. A server that outlives its editor fails the case.
function M.close()
  local all = children
  children = {}
  for _, c in ipairs(all) do
    local ok, server = pcall(c.server, c)
    pcall(vim.fn.rpcrequest, c.channel, 'nvim_command', 'qall!')
    gone(c.pid)
    assert(not ok or gone(server), 'the server outlived Neovim')
  end
end

return M
