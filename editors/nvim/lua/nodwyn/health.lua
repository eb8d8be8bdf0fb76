-- `:checkhealth nodwyn`: what is there, what is missing, and what to do.

local M = {}

---@param cmd string[]
---@return string? output, string? problem
local function output(cmd)
  local ok, run = pcall(function()
    return vim.system(cmd, { text = true, timeout = 10000 }):wait()
  end)
  if not ok then
    return nil, tostring(run)
  end
  if run.code ~= 0 and vim.trim(run.stdout or '') == '' then
    return nil, vim.trim(run.stderr or '')
  end
  return vim.trim(run.stdout or '')
end

local function editor()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok('Neovim ' .. version)
  else
    vim.health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.10 or newer.')
  end
end

local function git()
  local version, problem = output({ 'git', '--version' })
  if version then
    vim.health.ok(version)
  else
    vim.health.error('git does not run: ' .. problem, 'Install git: a session works in a worktree of its own.')
  end
end

local function options()
  local problems = require('nodwyn.config').problems()
  for _, problem in ipairs(problems) do
    vim.health.error(problem, 'See :help nodwyn-options.')
  end
  if #problems == 0 then
    vim.health.ok('options')
  end
end

--- Reports whether the program was found.
---@param program string
---@return boolean
local function program_found(program)
  if vim.fn.executable(program) ~= 1 then
    vim.health.error(('cannot find %q'):format(program), {
      'Install nodwyn and put it on the PATH that Neovim sees.',
      'Or set vim.g.nodwyn = { cmd = { "/path/to/nodwyn", "serve" } }.',
    })
    return false
  end
  local version, problem = output({ program, 'version' })
  if version then
    vim.health.ok(('%s is %s'):format(vim.fn.exepath(program), version))
  else
    vim.health.error(('%s does not run: %s'):format(program, problem))
  end
  return version ~= nil
end

--- Starts the server, as a session would, and compares what it speaks with what the plugin does.
local function protocol()
  local client = require('nodwyn.client')
  local failed
  client.request('session/list', { limit = 1 }, function(err)
    failed = err and err.message or false
  end)
  vim.wait(10000, function()
    return failed ~= nil
  end, 20)
  local want, server = require('nodwyn.protocol').version, client.server()
  if failed or not server then
    return vim.health.error('the server does not answer: ' .. (failed or 'no answer in 10 seconds'))
  end
  if server.protocol ~= want then
    local advice = 'Update whichever is older: both are in the same release.'
    return vim.health.error(('the server speaks protocol %s, this plugin %d'):format(server.protocol, want), advice)
  end
  vim.health.ok(('protocol %d, server %s'):format(want, server.version))
end

local function doctor(program)
  vim.health.start('nodwyn doctor')
  local text, problem = output({ program, 'doctor' })
  for _, line in ipairs(vim.split(text or problem or '', '\n', { plain = true, trimempty = true })) do
    vim.health.info(line)
  end
end

function M.check()
  vim.health.start('nodwyn')
  editor()
  git()
  options()
  local program = require('nodwyn.config').current().cmd[1]
  if program_found(program) then
    protocol()
    doctor(program)
  end
end

return M
