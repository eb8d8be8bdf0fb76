-- The commands of `:Nodwyn`, and what a person's configuration may call.

local session = require('nodwyn.meant').session

local M = {}

---@type table<string, nodwyn.Verb>
local verbs = vim.tbl_extend('error', require('nodwyn.verbs'), require('nodwyn.verbs_work'))

--- Does what is next where no command was given: a request, the turn that was cut off, or the first steps.
---@param args vim.api.keyset.create_user_command.command_args
local function next_step(args)
  if args.range > 0 or session().here() then
    return verbs.ask.run(args, '')
  end
  local sessions = require('nodwyn.sessions')
  sessions.look(function(latest, any)
    if latest and sessions.cut_off(latest) then
      return sessions.open(sessions.take(latest).id)
    end
    verbs[any and 'ask' or 'guide'].run(args, '')
  end)
end

--- Runs `:Nodwyn`.
---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local verb, rest = args.args:match('^(%S*)%s*(.*)$')
  if verb == '' then
    return next_step(args)
  end
  if not verbs[verb] then
    local message = ('there is no `:Nodwyn %s`: there is %s'):format(
      verb,
      table.concat(M.complete('', 'Nodwyn '), ', ')
    )
    return require('nodwyn.client').report({ message = message })
  end
  verbs[verb].run(args, rest)
end

--- Completes `:Nodwyn`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local verb, before = line:match('Nodwyn!?%s+(%S+)%s+(.*)$')
  local known = verb and verbs[verb] and verbs[verb].words
  local words = verb and (known and known(before) or {}) or vim.tbl_keys(verbs)
  table.sort(words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- Sets options; the plugin works without it.
---@param options? table
function M.setup(options)
  require('nodwyn.config').set(options)
end

--- Returns what the session of the current buffer's folder is doing, for a status line; empty when there is none.
---@return string
function M.statusline()
  -- A status line is drawn often, and must not be what loads the plugin.
  if not package.loaded['nodwyn.session'] then
    return ''
  end
  local s = session().here()
  if not s then
    return ''
  end
  local status = require('nodwyn.status')
  return vim.trim(('nodwyn: %s %s'):format(status.text(s), status.overlap(s)))
end

return M
