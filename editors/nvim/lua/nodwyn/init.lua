-- The commands of `:Nodwyn`, and what a person's configuration may call.

local M = {}

---@class nodwyn.Verb
---@field run fun(args: vim.api.keyset.create_user_command.command_args, rest: string)
---@field words? fun(): string[] What may follow it, for completion.

local function session()
  return require('nodwyn.session')
end

--- Calls with the session that is meant, or says that there is none.
---@param act fun(s: nodwyn.Session)
local function with(act)
  local s = session().here()
  if s then
    return act(s)
  end
  require('nodwyn.notice').line(
    'nodwyn: no session here yet: `:Nodwyn ask` starts one, `:Nodwyn sessions` lists the others'
  )
end

--- Makes an attachment of whole lines of the current buffer, as they are in it, saved or not.
---@param first integer
---@param last integer
---@return nodwyn.Attachment[]?
local function selection(first, last)
  local name = vim.api.nvim_buf_get_name(0)
  if name == '' or vim.bo.buftype ~= '' then
    return nil
  end
  local lines = vim.api.nvim_buf_get_lines(0, first - 1, last, false)
  -- Relative to the repository, so that it names the session's own copy.
  local root = session().root()
  local path = vim.startswith(name, root .. '/') and name:sub(#root + 2) or name
  return {
    {
      type = 'selection',
      path = path,
      range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } },
      text = table.concat(lines, '\n') .. '\n',
    },
  }
end

--- Sends a prompt to the session that is meant; the first one starts it.
---@param text string
---@param attachments? nodwyn.Attachment[]
local function ask(text, attachments)
  local function send(s)
    require('nodwyn.buffer').show(s)
    session().prompt(s, text, attachments)
  end
  local s = session().here()
  if s then
    return send(s)
  end
  session().new({ repo = session().root(), mode = require('nodwyn.config').current().mode }, send)
end

---@type table<string, nodwyn.Verb>
local verbs = {}

verbs.ask = {
  run = function(args, rest)
    local attachments = args.range > 0 and selection(args.line1, args.line2) or nil
    if rest ~= '' then
      return ask(rest, attachments)
    end
    local where = attachments and ('Ask about %s:%d-%d'):format(attachments[1].path, args.line1, args.line2) or 'Ask'
    -- The session is that of the place where the command was given, not of the float.
    local win = vim.api.nvim_get_current_win()
    require('nodwyn.input').open(where, '', function(text)
      vim.api.nvim_win_call(win, function()
        ask(text, attachments)
      end)
    end)
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
    with(function(s)
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
    with(function(s)
      require('nodwyn.diff').show(s, rest ~= '' and rest or nil)
    end)
  end,
}

verbs.land = {
  run = function(_, rest)
    with(function(s)
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
    with(function(s)
      require('nodwyn.buffer').show(s)
      session().call(s, 'session/continue', {}, function(turn)
        session().ended(s, turn)
      end)
    end)
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
    with(require('nodwyn.trail').show)
  end,
}

verbs.mode = {
  words = function()
    return { 'ask', 'plan', 'edit' }
  end,
  run = function(_, rest)
    with(function(s)
      session().call(s, 'session/mode', { mode = rest }, function(state)
        s.state = vim.tbl_extend('force', s.state or {}, state)
        require('nodwyn.buffer').draw(s)
      end)
    end)
  end,
}

verbs.title = {
  run = function(_, rest)
    with(function(s)
      session().call(s, 'session/title', { title = rest }, function() end)
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
    with(function(s)
      if not s.state then
        return session().resume(s, function()
          verbs.worktree.run({}, '')
        end)
      end
      vim.cmd.tabnew()
      vim.cmd.tcd(vim.fn.fnameescape(s.state.repo))
    end)
  end,
}

verbs.setup = {
  run = function(_, rest)
    local cmd = { require('nodwyn.config').current().cmd[1], 'setup' }
    vim.list_extend(cmd, vim.split(rest, '%s+', { trimempty = true }))
    vim.cmd.new()
    if vim.fn.has('nvim-0.11') == 1 then
      vim.fn.jobstart(cmd, { term = true })
    else
      vim.fn.termopen(cmd)
    end
    vim.cmd.startinsert()
  end,
}

verbs.stop = {
  run = function()
    require('nodwyn.client').stop()
  end,
}

--- Runs `:Nodwyn`.
---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local verb, rest = args.args:match('^(%S*)%s*(.*)$')
  if verb == '' then
    verb = 'ask'
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
