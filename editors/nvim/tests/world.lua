-- The world of a case: a home, a repository and a scripted model of its own, and a second Neovim in which a person works.

local Child = require('child')

local M = {}

local root = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h')

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
  if o.config ~= false then
    w:configure(o.config)
  end
  w.replies = w.home .. '/.config/nodwyn/replies.txt'
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

--- Writes a configuration whose model plays the replies.
---@param more? string
function World:configure(more)
  local text = '[control]\nserver = "rehearsal"\n\n[servers.rehearsal]\napi = "script"\nurl = "replies.txt"\n\n'
  write(self.home .. '/.config/nodwyn/config.toml', text .. (more or ''))
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
    -- No keychain, no server and no key of whoever runs the tests.
    DBUS_SESSION_BUS_ADDRESS = 'unix:path=' .. self.home .. '/none',
    OLLAMA_HOST = '127.0.0.1:1',
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
    Child.gone(c.pid)
    assert(not ok or Child.gone(server), 'the server outlived Neovim')
  end
end

return M
