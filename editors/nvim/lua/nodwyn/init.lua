-- The commands of `:Nodwyn`, and what a person's configuration may call.

local M = {}

---@class nodwyn.Verb
---@field run fun(args: vim.api.keyset.create_user_command.command_args, rest: string)
---@field words? fun(): string[] What may follow it, for completion.

local function session()
  return require('nodwyn.session')
end

local function none()
  require('nodwyn.notice').line(
    'nodwyn: no session here yet: `:Nodwyn ask` starts one, `:Nodwyn sessions` lists the others'
  )
end

--- Calls with the session that is meant, or says that there is none.
---@param act fun(s: nodwyn.Session)
local function with(act)
  local s = session().here()
  if s then
    return act(s)
  end
  none()
end

--- Does as with() does, but a Neovim that has seen no session here takes the folder's last one: a person goes on where they were.
---@param act fun(s: nodwyn.Session)
---@param wanted? fun(one: nodwyn.Summary): boolean
local function with_last(act, wanted)
  local s = session().here()
  if s then
    return act(s)
  end
  require('nodwyn.sessions').latest(wanted, function(found)
    if found then
      return act(found)
    end
    none()
  end)
end

---@type table<string, nodwyn.Verb>
local verbs = {}

verbs.ask = {
  run = function(args, rest)
    local lines = args.range > 0 and { first = args.line1, last = args.line2 } or nil
    require('nodwyn.request').start(rest, lines)
  end,
}

verbs.new = {
  words = function()
    return { 'edit', 'ask', 'plan' }
  end,
  run = function(_, rest)
    local mode = rest ~= '' and rest or require('nodwyn.config').current().mode
    session().new({ repo = session().root(), mode = mode }, function(s)
      require('nodwyn.buffer').show(s)
    end)
  end,
}

verbs.answer = {
  words = function()
    local prompt = require('nodwyn.prompts').open()[1]
    return vim.tbl_map(function(answer)
      return answer.id
    end, prompt and prompt.answers or {})
  end,
  run = function(_, rest)
    local prompts = require('nodwyn.prompts')
    if rest == '' then
      return prompts.go()
    end
    prompts.answer(rest)
  end,
}

verbs.open = {
  run = function()
    with_last(function(s)
      require('nodwyn.sessions').open(s.id)
    end)
  end,
}

verbs.cancel = {
  run = function()
    with(function(s)
      session().call(s, 'session/cancel', {}, function(result)
        local killed = #result.killed > 0 and ', and ended ' .. table.concat(result.killed, ', ') or ''
        require('nodwyn.notice').line(
          'nodwyn: ' .. (result.cancelled and 'cancelled' .. killed or 'no turn was running')
        )
      end)
    end)
  end,
}

verbs.diff = {
  run = function(_, rest)
    with_last(function(s)
      require('nodwyn.diff').show(s, rest ~= '' and rest or nil)
    end)
  end,
}

verbs.land = {
  run = function(_, rest)
    with_last(function(s)
      require('nodwyn.land').start(s, rest ~= '' and rest or nil)
    end)
  end,
}

verbs.sessions = {
  run = function()
    require('nodwyn.sessions').show()
  end,
}

verbs.resume = {
  words = function()
    return session().ids()
  end,
  run = function(_, rest)
    local s = rest ~= '' and session().of(rest) or session().here()
    if not s then
      return require('nodwyn.sessions').show()
    end
    session().resume(s, function()
      require('nodwyn.sessions').open(s.id)
    end)
  end,
}

verbs.continue = {
  run = function()
    with_last(function(s)
      require('nodwyn.buffer').show(s)
      session().call(s, 'session/continue', {}, function(turn)
        session().ended(s, turn)
      end)
    end, require('nodwyn.sessions').cut_off)
  end,
}

verbs.steer = {
  run = function(_, rest)
    with(function(s)
      if s.turn == 0 then
        vim.notify('nodwyn: no turn is running; ask instead', vim.log.levels.WARN)
        return
      end
      session().call(s, 'session/steer', { turn = s.turn, text = rest }, function() end)
    end)
  end,
}

verbs.queue = {
  run = function()
    with(require('nodwyn.queue').show)
  end,
}

verbs.trail = {
  run = function()
    with_last(require('nodwyn.trail').show)
  end,
}

verbs.check = {
  run = function()
    with_last(require('nodwyn.proof').again)
  end,
}

verbs['do'] = {
  run = function(_, rest)
    with_last(function(s)
      require('nodwyn.request').carry_out(s, rest)
    end)
  end,
}

verbs.mode = {
  words = function()
    return { 'ask', 'plan', 'edit' }
  end,
  run = function(_, rest)
    with(function(s)
      session().mode(s, rest)
    end)
  end,
}

verbs.title = {
  run = function(_, rest)
    with(function(s)
      session().call(s, 'session/title', { title = rest }, function()
        s.title = rest ~= '' and rest or nil
        vim.cmd.redrawstatus({ bang = true })
      end)
    end)
  end,
}

verbs.close = {
  run = function()
    with(function(s)
      session().call(s, 'session/close', {}, function(result)
        local kept = #result.unlanded > 0 and '; kept for what has not landed: ' .. table.concat(result.unlanded, ', ')
          or ''
        require('nodwyn.notice').line('nodwyn: closed' .. kept)
      end)
    end)
  end,
}

verbs.worktree = {
  run = function()
    with_last(require('nodwyn.tree').tab)
  end,
}

verbs.terminal = {
  run = function()
    with_last(require('nodwyn.tree').shell)
  end,
}

verbs.setup = {
  run = function(_, rest)
    require('nodwyn.setup').run(rest)
  end,
}

verbs.key = {
  run = function(_, rest)
    require('nodwyn.setup').key(rest)
  end,
}

verbs.guide = {
  run = function()
    require('nodwyn.guide').open('nodwyn-start')
  end,
}

verbs.stop = {
  run = function()
    require('nodwyn.client').stop()
  end,
}

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
  local verb = line:match('Nodwyn!?%s+(%S+)%s')
  local words = verb and (verbs[verb] and verbs[verb].words and verbs[verb].words() or {}) or vim.tbl_keys(verbs)
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
  return s and 'nodwyn: ' .. require('nodwyn.status').text(s) or ''
end

return M
