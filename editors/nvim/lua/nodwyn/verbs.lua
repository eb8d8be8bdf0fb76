-- The commands of `:Nodwyn` about asking, sessions and set-up.

local meant = require('nodwyn.meant')
local session = meant.session

---@class nodwyn.Verb
---@field run fun(args: vim.api.keyset.create_user_command.command_args, rest: string)
---@field words? fun(before: string): string[] What may follow it and the words before, for completion.

---@type table<string, nodwyn.Verb>
local verbs = {}

verbs.ask = {
  run = function(args, rest)
    local lines = args.range > 0 and { first = args.line1, last = args.line2 } or nil
    require('nodwyn.request').start(rest, lines, args.bang and require('nodwyn.carry').all() or nil)
  end,
}

verbs.new = {
  words = function()
    return { 'edit', 'ask', 'plan' }
  end,
  run = function(args, rest)
    local mode = rest ~= '' and rest or require('nodwyn.config').current().mode
    local carry = args.bang and require('nodwyn.carry').all() or nil
    session().new({ repo = session().root(), mode = mode, carry = carry }, function(s)
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
    meant.with_last(function(s)
      require('nodwyn.sessions').open(s.id)
    end)
  end,
}

verbs.cancel = {
  run = function()
    meant.with(function(s)
      session().call(s, 'session/cancel', {}, function(result)
        local killed = #result.killed > 0 and ', and ended ' .. table.concat(result.killed, ', ') or ''
        require('nodwyn.notice').line(
          'nodwyn: ' .. (result.cancelled and 'cancelled' .. killed or 'no turn was running')
        )
      end)
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
    meant.with_last(function(s)
      require('nodwyn.buffer').show(s)
      session().call(s, 'session/continue', {}, function(turn)
        session().ended(s, turn)
      end)
    end, require('nodwyn.sessions').cut_off)
  end,
}

verbs.steer = {
  run = function(_, rest)
    meant.with(function(s)
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
    meant.with(require('nodwyn.queue').show)
  end,
}

verbs.trail = {
  run = function()
    meant.with_last(require('nodwyn.trail').show)
  end,
}

verbs['do'] = {
  run = function(_, rest)
    meant.with_last(function(s)
      require('nodwyn.request').carry_out(s, rest)
    end)
  end,
}

verbs.mode = {
  words = function()
    return { 'ask', 'plan', 'edit' }
  end,
  run = function(_, rest)
    meant.with(function(s)
      session().mode(s, rest)
    end)
  end,
}

verbs.title = {
  run = function(_, rest)
    meant.with(function(s)
      session().call(s, 'session/title', { title = rest }, function()
        s.title = rest ~= '' and rest or nil
        vim.cmd.redrawstatus({ bang = true })
      end)
    end)
  end,
}

verbs.close = {
  run = function()
    meant.with(function(s)
      session().call(s, 'session/close', {}, function(result)
        local kept = #result.unlanded > 0 and '; kept for what has not landed: ' .. table.concat(result.unlanded, ', ')
          or ''
        require('nodwyn.notice').line('nodwyn: closed' .. kept)
      end)
    end)
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

return verbs
