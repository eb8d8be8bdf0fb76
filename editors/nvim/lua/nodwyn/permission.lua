-- An effect that the server asks for, as a prompt.
--
-- Invariant: the answers offered are the server's own, in its order.

local cards = require('nodwyn.cards')

local M = {}

---@param p nodwyn.PermissionParams
---@return { text: string, group?: string }[]
local function lines_of(p)
  local out = {}
  local function add(text, group)
    table.insert(out, { text = text, group = group })
  end
  if p.argv then
    add('$ ' .. cards.command(p.argv), 'NodwynCommand')
  end
  if p.cwd then
    add('in ' .. vim.fn.fnamemodify(p.cwd, ':~'), 'NodwynContext')
  end
  if p.host then
    add('at ' .. p.host, 'NodwynContext')
  end
  if p.why then
    add(p.why, 'NodwynContext')
  end
  if p.timeoutSec then
    add('until ' .. os.date('%H:%M:%S', os.time() + p.timeoutSec), 'NodwynContext')
  end
  vim.list_extend(out, p.diff and cards.diff_lines(p.diff) or {})
  if p.truncated then
    add('… the change is too large to be shown whole', 'NodwynWaiting')
  end
  return out
end

--- Asks the person, and returns the answer for the server.
---@param p nodwyn.PermissionParams
---@return any
function M.ask(p)
  local answers = {}
  for _, option in ipairs(p.options) do
    local label = option.label
    if option.prefix then
      label = ('%s (%s)'):format(label, cards.command(option.prefix))
    end
    table.insert(answers, { id = option.id, label = label, result = { option = option.id } })
  end
  return require('nodwyn.prompts').wait({
    session = p.session,
    id = p.promptId,
    title = p.action,
    lines = lines_of(p),
    answers = answers,
    note = function(text)
      return { option = 'deny', note = text }
    end,
    note_label = 'Deny, and say why',
    note_key = 'note',
    params = p,
  })
end

return M
