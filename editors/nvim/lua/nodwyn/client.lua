-- The connection: one server for this Neovim, started by the first request.
--
-- Invariant: the callback of a request is called exactly once, also when the server cannot be started or ends before it answers.

local M = {}

local NAME = 'nodwyn'

---@class nodwyn.Error What went wrong, in the server's words.
---@field code? integer
---@field message string
---@field data? nodwyn.ErrorDetail

---@alias nodwyn.Callback fun(err: nodwyn.Error?, result: any)

---@type integer?
local id
-- Counts the servers that were started: a session that an earlier one held has to be resumed.
local life = 0
local ready = false
--- What was asked while a server that was told to end is still there; the next one gets it.
---@type fun()[]?
local after_end
---@type fun()[]
local before_ready = {}
---@type table<integer, nodwyn.Callback>
local waiting = {}
local last = 0

--- The methods of Neovim's client take the client itself only since 0.11.
local function invoke(client, method, ...)
  if vim.fn.has('nvim-0.11') == 1 then
    return client[method](client, ...)
  end
  return client[method](...)
end

---@return vim.lsp.Client?
local function running()
  return id and vim.lsp.get_client_by_id(id) or nil
end

local function capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  -- Lines and columns of an attachment are counted as Neovim counts them.
  all.general = vim.tbl_extend('force', all.general or {}, { positionEncodings = { 'utf-8', 'utf-16' } })
  all.experimental = { nodwyn = { permission = true, question = true, deltas = true, cards = true } }
  return all
end

--- What the server sends, each to the module that shows it.
local function handlers()
  local function session(name)
    return function(_, params)
      require('nodwyn.session')[name](params)
    end
  end
  return {
    ['session/card'] = session('on_card'),
    ['session/delta'] = session('on_delta'),
    ['session/status'] = session('on_status'),
    ['session/requestPermission'] = function(_, params)
      return require('nodwyn.permission').ask(params)
    end,
    ['session/ask'] = function(_, params)
      return require('nodwyn.question').ask(params)
    end,
    ['session/promptResolved'] = function(_, params)
      require('nodwyn.prompts').withdraw(params.session or '', params.promptId)
    end,
  }
end

---@param message string
local function fail_all(message)
  local callbacks = waiting
  waiting, before_ready, ready, id = {}, {}, false, nil
  for _, callback in pairs(callbacks) do
    callback({ message = message })
  end
end

local function on_exit(code, signal)
  vim.schedule(function()
    require('nodwyn.prompts').forget()
    fail_all(
      ('the server ended (exit code %d, signal %d): try again, and see :checkhealth nodwyn'):format(code, signal)
    )
    require('nodwyn.session').on_exit()
    local later = after_end or {}
    after_end = nil
    for _, send in ipairs(later) do
      send()
    end
  end)
end

local function on_init()
  ready = true
  local queued = before_ready
  before_ready = {}
  for _, send in ipairs(queued) do
    send()
  end
end

--- Says that a program is not there, and what to do.
---@param program string
---@return string
function M.missing(program)
  return ('cannot find %q: install nodwyn, or set vim.g.nodwyn = { cmd = { "/path/to/nodwyn", "serve" } }'):format(
    program
  )
end

---@return string? problem
local function start()
  local cmd = require('nodwyn.config').current().cmd
  if vim.fn.executable(cmd[1]) ~= 1 then
    return M.missing(cmd[1])
  end
  local options = {
    name = NAME,
    cmd = cmd,
    capabilities = capabilities(),
    handlers = handlers(),
    on_init = on_init,
    on_exit = on_exit,
  }
  life, ready = life + 1, false
  if vim.fn.has('nvim-0.11') == 1 then
    -- No buffer is attached: the agent works on files, and no text of a buffer goes to the server unless it is sent.
    id = vim.lsp.start(options, {
      attach = false,
      reuse_client = function()
        return false
      end,
    })
  else
    id = vim.lsp.start_client(options)
  end
  return not id and ('cannot start %q: see :checkhealth nodwyn'):format(table.concat(cmd, ' ')) or nil
end

---@param number integer
local function finish(number, err, result)
  local callback = waiting[number]
  waiting[number] = nil
  if callback then
    callback(err, result)
  end
end

--- Sends a request, and starts the server if none runs.
---@param method nodwyn.Request
---@param params table
---@param callback nodwyn.Callback
function M.request(method, params, callback)
  if after_end then
    return table.insert(after_end, function()
      M.request(method, params, callback)
    end)
  end
  if not running() then
    local problem = start()
    if problem then
      return callback({ message = problem })
    end
  end
  last = last + 1
  local number = last
  waiting[number] = callback
  local function send()
    -- An empty Lua table would go out as a list.
    local sent = invoke(running(), 'request', method, next(params) and params or vim.empty_dict(), function(err, result)
      finish(number, err, result)
    end)
    if not sent then
      finish(number, { message = ('send %s: the server is ending'):format(method) })
    end
  end
  if ready then
    return send()
  end
  table.insert(before_ready, send)
end

--- Counts the servers that were started; 0 before the first.
---@return integer
function M.life()
  return not after_end and running() and life or 0
end

--- Returns what the running server says of itself.
---@return nodwyn.ServerCapabilities?
function M.server()
  local client = running()
  return client and ready and vim.tbl_get(client.server_capabilities, 'experimental', 'nodwyn') or nil
end

--- Ends the server. Its sessions are closed on record first, unless it does not listen and is told again.
function M.stop()
  local client = running()
  if client then
    invoke(client, 'stop', after_end ~= nil)
    after_end = after_end or {}
  end
end

--- Shows an error in the words of whoever reports it.
---@param err nodwyn.Error
function M.report(err)
  local lines = { 'nodwyn: ' .. err.message }
  local detail = type(err.data) == 'table' and err.data or {}
  for _, conflict in ipairs(detail.conflicts or {}) do
    if not err.message:find(conflict.path, 1, true) then
      table.insert(lines, ('  %s (%s)'):format(conflict.path, conflict.kind))
    end
  end
  if detail.file and not err.message:find(detail.file, 1, true) then
    table.insert(lines, ('  %s:%d'):format(detail.file, detail.line or 1))
  end
  if detail.reason == 'configuration' and detail.key == 'control' then
    table.insert(lines, '  Here that is `:Nodwyn setup`.')
  end
  vim.notify(table.concat(lines, '\n'), vim.log.levels.ERROR)
end

return M
