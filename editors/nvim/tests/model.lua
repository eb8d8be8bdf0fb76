-- A model server that a person could have: it speaks the Chat Completions format on a port of its own, wants a key, and answers from a list.

local M = {}

---@class Model
---@field url string
---@field key string
---@field asked string[] The requests with the right key.
---@field refused integer Counts those without it.
---@field replies table[] What is left to say.

--- Spells a reply as the stream that a client gets.
---@param reply { text?: string, call?: { [1]: string, [2]: table } }
---@param number integer
local function stream(reply, number)
  local delta = { role = 'assistant', content = reply.text }
  if reply.call then
    local call = { name = reply.call[1], arguments = vim.json.encode(reply.call[2]) }
    delta.tool_calls = { { index = 0, id = 'call-' .. number, type = 'function', ['function'] = call } }
  end
  local out = {}
  for _, choice in ipairs({
    { index = 0, delta = delta },
    { index = 0, delta = vim.empty_dict(), finish_reason = reply.call and 'tool_calls' or 'stop' },
  }) do
    table.insert(out, 'data: ' .. vim.json.encode({ choices = { choice } }) .. '\n\n')
  end
  return table.concat(out) .. 'data: [DONE]\n\n'
end

---@param status string
---@param kind string
---@param body string
local function response(status, kind, body)
  return ('HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s'):format(
    status,
    kind,
    #body,
    body
  )
end

---@param m Model
---@param head string
---@param body string
local function answer(m, head, body)
  if not head:find('Authorization: Bearer ' .. m.key, 1, true) then
    m.refused = m.refused + 1
    return response('401 Unauthorized', 'application/json', '{"error":{"message":"this key is not good"}}')
  end
  if head:match('^GET ') then
    return response('200 OK', 'application/json', '{"data":[{"id":"small-1"}]}')
  end
  table.insert(m.asked, body)
  -- What set-up asks to try the model is no part of the session, and has no tools.
  local reply = body:find('"tools"', 1, true) and table.remove(m.replies, 1) or { text = 'ok' }
  return response('200 OK', 'text/event-stream', stream(reply, #m.asked))
end

--- Starts a server.
---@param key string
---@param replies table[]
---@return Model
function M.start(key, replies)
  local m = { key = key, asked = {}, refused = 0, replies = replies }
  local listener = assert(vim.uv.new_tcp())
  assert(listener:bind('127.0.0.1', 0))
  m.url = ('http://127.0.0.1:%d/v1'):format(listener:getsockname().port)
  listener:listen(16, function()
    local client, got = assert(vim.uv.new_tcp()), ''
    listener:accept(client)
    client:read_start(function(_, data)
      if not data then
        return client:close()
      end
      got = got .. data
      local head, body = got:match('^(.-\r\n\r\n)(.*)$')
      local length = head and tonumber(head:match('[Cc]ontent%-[Ll]ength: (%d+)')) or 0
      if head and #body >= length then
        client:read_stop()
        client:write(answer(m, head, body), function()
          client:close()
        end)
      end
    end)
  end)
  m.stop = function()
    listener:close()
  end
  return m
end

return M
