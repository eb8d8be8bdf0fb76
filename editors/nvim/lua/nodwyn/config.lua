-- What the person chose in `vim.g.nodwyn` or by `setup()`, over the defaults.
--
-- Invariant: an option of the wrong type is reported once and its default stands, so that a typing mistake never keeps the plugin from working.

local M = {}

---@class nodwyn.Config
---@field cmd string[] The command that starts the server.
---@field mode nodwyn.Mode The mode of a session that an ask starts.
---@field position 'right'|'left'|'above'|'below' Where the session window opens.
---@field size number The share of the editor that the session window takes, from 0.1 to 0.9.
---@field arm_ms integer How long a prompt must have the cursor at rest before its keys work, in milliseconds.
---@field inline_lines integer How many lines of a change are drawn in the file; the rest is behind a key.
---@field notify boolean Whether to say it when a turn ends or waits while nobody looks.
---@field keys table<string, string> The key of each answer to a prompt, and of what else a float offers.

---@return nodwyn.Config
local function defaults()
  return {
    cmd = { 'nodwyn', 'serve' },
    mode = 'edit',
    position = 'right',
    size = 0.4,
    arm_ms = 500,
    inline_lines = 30,
    notify = true,
    keys = {
      allow_once = 'y',
      allow_session = 's',
      allow_edits = 'e',
      allow_always = 'A',
      deny = 'n',
      deny_stop = 'X',
      note = 'N',
      text = 't',
      carry = '<C-t>',
      way = 'w',
    },
  }
end

---@type nodwyn.Config?
local given
local reported = false

--- Says what is right for an option that has more to it than its type.
---@type table<string, fun(value: any): boolean, string>
local checks = {
  cmd = function(value)
    return vim.islist(value) and #value > 0 and type(value[1]) == 'string', 'a list of words that starts with a program'
  end,
  position = function(value)
    return vim.tbl_contains({ 'right', 'left', 'above', 'below' }, value), '"right", "left", "above" or "below"'
  end,
  size = function(value)
    return value >= 0.1 and value <= 0.9, 'a number from 0.1 to 0.9'
  end,
  arm_ms = function(value)
    return value >= 0, 'a number of milliseconds'
  end,
}

---@param name string
---@param value any
---@param default any
---@return string? problem
local function problem_of(name, value, default)
  if default == nil then
    return ('%s: there is no such option'):format(name)
  end
  if type(value) ~= type(default) then
    return ('%s: a %s is wanted, not a %s'):format(name, type(default), type(value))
  end
  if checks[name] then
    local ok, want = checks[name](value)
    return not ok and ('%s: %s is wanted, not %s'):format(name, want, vim.inspect(value)) or nil
  end
end

--- Lays the options over their defaults and lists what is wrong with them.
---@param options table
---@return nodwyn.Config, string[]
local function merge(options)
  local config, problems = defaults(), {}
  for name, value in pairs(options) do
    local problem = problem_of(tostring(name), value, config[name])
    if problem then
      table.insert(problems, problem)
    elseif name == 'keys' then
      for answer, key in pairs(value) do
        local wrong = problem_of('keys.' .. tostring(answer), key, config.keys[answer])
        if wrong then
          table.insert(problems, wrong)
        else
          config.keys[answer] = key
        end
      end
    else
      config[name] = value
    end
  end
  table.sort(problems)
  return config, problems
end

---@return table
local function chosen()
  local options = vim.g.nodwyn
  if type(options) == 'function' then
    options = options()
  end
  return vim.tbl_deep_extend('force', type(options) == 'table' and options or {}, given or {})
end

--- Keeps the options of `setup()`, which win over `vim.g.nodwyn`.
---@param options table?
function M.set(options)
  given, reported = options or {}, false
end

--- Returns the options in force. They are read anew each time, so that `vim.g.nodwyn` may change.
---@return nodwyn.Config
function M.current()
  local config, problems = merge(chosen())
  if #problems > 0 and not reported then
    reported = true
    vim.notify('nodwyn: wrong options, whose defaults stand:\n' .. table.concat(problems, '\n'), vim.log.levels.WARN)
  end
  return config
end

--- Lists what is wrong with the options, for the health check.
---@return string[]
function M.problems()
  local _, problems = merge(chosen())
  return problems
end

return M
