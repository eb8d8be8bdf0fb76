-- A question of the server's, as a prompt.

local M = {}

--- Asks the person, and returns the answer for the server.
---@param p nodwyn.AskParams
---@return any
function M.ask(p)
  local lines = vim.tbl_map(function(text)
    return { text = text }
  end, vim.split(p.text, '\n', { plain = true }))
  local answers = {}
  for _, choice in ipairs(p.choices) do
    table.insert(answers, { id = choice, label = choice, result = { answer = choice } })
  end
  local free = p.freeText or #p.choices == 0
  return require('nodwyn.prompts').wait({
    session = p.session or '',
    id = p.promptId,
    title = 'A question',
    lines = lines,
    answers = answers,
    note = free and function(text)
      return { answer = text }
    end or nil,
    note_label = 'Type an answer',
    note_key = 'text',
    params = p,
  })
end

return M
