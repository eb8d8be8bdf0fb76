-- Set-up: a key goes over the wire, and everything else is `nodwyn setup` in a terminal.
--
-- Invariant: a key is in the one request that stores it, and in no argument, variable, option, history or log of Neovim's.

local client = require('nodwyn.client')

local M = {}

local LEVEL_OFF = vim.log.levels.OFF

--- Calls with Neovim's log of the wire switched off: at its finest level it holds whole requests.
---@param act fun()
local function unlogged(act)
  local log = vim.lsp.log
  local level = log.get_level()
  log.set_level(LEVEL_OFF)
  act()
  log.set_level(level)
end

---@param class string
---@param stored nodwyn.Credential[]
---@return nodwyn.Credential?
local function find(class, stored)
  return vim.iter(stored):find(function(one)
    return one.class == class
  end)
end

---@param class string
---@param done fun()
local function ask(class, done)
  -- Ctrl-C is an error here, and gives up as an empty line does.
  local ok, value = pcall(vim.fn.inputsecret, ('Key for %q (not shown): '):format(class))
  if not ok or value == '' then
    return require('nodwyn.notice').line('nodwyn: no key was stored')
  end
  unlogged(function()
    client.request('cred/register', { class = class, value = value }, function(err, result)
      if err then
        return client.report(err)
      end
      local kept = find(class, result.credentials)
      require('nodwyn.notice').line(('nodwyn: stored the key %q, in the %s'):format(class, kept and kept.id or 'store'))
      done()
    end)
  end)
end

--- Calls with the credentials that are stored. The server runs by then, so that the next request leaves at once.
---@param done fun(stored: nodwyn.Credential[])
local function stored(done)
  client.request('cred/list', {}, function(err, result)
    if err then
      return client.report(err)
    end
    done(result.credentials)
  end)
end

--- Asks for a key and stores it, in place of one that is there.
---@param class string
function M.key(class)
  if class == '' or class:find('%s') then
    return client.report({ message = 'say for which service: `:Nodwyn key anthropic`' })
  end
  stored(function()
    ask(class, function() end)
  end)
end

--- What is configured is read when a server starts, so the running one goes, unless it works.
local function configured()
  local again = 'nodwyn: a model is set up; next `:Nodwyn ask`'
  if require('nodwyn.session').busy() then
    again = 'nodwyn: a model is set up; `:Nodwyn stop` after this turn makes it count'
  else
    client.stop()
  end
  require('nodwyn.notice').line(again)
end

---@param words string[]
---@return string?
local function credential(words)
  for i, word in ipairs(words) do
    if word:match('^%-%-?credential$') then
      return words[i + 1]
    end
    local joined = word:match('^%-%-?credential=(.+)$')
    if joined then
      return joined
    end
  end
end

--- Runs `nodwyn setup` with its flags. A key that they name and nobody stored yet is asked for first.
---@param rest string
function M.run(rest)
  local words = vim.split(rest, '%s+', { trimempty = true })
  local cmd = vim.list_extend({ require('nodwyn.config').current().cmd[1], 'setup' }, words)
  local function run()
    require('nodwyn.terminal').open(cmd, nil, configured)
  end
  if vim.fn.executable(cmd[1]) ~= 1 then
    return client.report({ message = client.missing(cmd[1]) })
  end
  local class = credential(words)
  if not class then
    return run()
  end
  stored(function(list)
    if find(class, list) then
      return run()
    end
    ask(class, run)
  end)
end

return M
