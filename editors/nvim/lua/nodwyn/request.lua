-- A request to the agent: the lines that go along, the float in which it is written, and the session that gets it.

local session = require('nodwyn.session')

local M = {}

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
  return {
    {
      type = 'selection',
      -- Relative to the repository, so that it names the session's own copy.
      path = session.inside(name) or name,
      range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } },
      text = table.concat(lines, '\n') .. '\n',
    },
  }
end

--- Returns what a session that a request starts is asked for.
---@return nodwyn.NewParams
local function params()
  return { repo = session.root(), mode = require('nodwyn.config').current().mode }
end

--- Sends a prompt to the session that is meant; the first one starts it.
---@param text string
---@param attachments? nodwyn.Attachment[]
---@param carry? nodwyn.Carry What of the person's own work a new session takes along.
---@param failed? fun() Called when no session could be started.
local function ask(text, attachments, carry, failed)
  local function send(s)
    require('nodwyn.buffer').show(s)
    session.prompt(s, text, attachments)
  end
  local s = session.here()
  if s then
    return send(s)
  end
  session.new(vim.tbl_extend('force', params(), { carry = carry }), send, failed)
end

--- Lets the person write a request in a float.
---@param attachments? nodwyn.Attachment[]
---@param where string
---@param draft string
---@param chosen? nodwyn.Carry
local function write(attachments, where, draft, chosen)
  -- The session is that of the place where the command was given, not of the float.
  local win = vim.api.nvim_get_current_win()
  local start = not session.here() and params() or nil
  local carry = function()
    return chosen
  end
  local input = require('nodwyn.input').open(where, draft, function(text)
    vim.api.nvim_win_call(win, function()
      ask(text, attachments, carry(), function()
        -- What was written is not lost to a model that is not there yet.
        write(attachments, where, text, carry())
      end)
    end)
  end)
  if start then
    carry = require('nodwyn.carry').offer(input, start, chosen)
  end
end

--- Sends a request, with lines of the current buffer if some are meant; one without text is written in a float.
---@param text string
---@param lines? { first: integer, last: integer }
---@param carry? nodwyn.Carry
function M.start(text, lines, carry)
  local attachments = lines and selection(lines.first, lines.last) or nil
  if text ~= '' then
    return ask(text, attachments, carry)
  end
  local where = attachments and ('Ask about %s:%d-%d'):format(attachments[1].path, lines.first, lines.last) or 'Ask'
  write(attachments, where, '', carry)
end

--- Lets a session that only read so far do what was talked about.
---@param s nodwyn.Session
---@param text string What to say to it, in place of the plain word.
function M.carry_out(s, text)
  require('nodwyn.buffer').show(s)
  session.mode(s, 'edit', function()
    session.prompt(s, text ~= '' and text or 'Do it.')
  end)
end

return M
