-- Cards as lines of text, one function for each kind.
--
-- Invariant: a card's lines are made from the card alone, so that one that comes again is drawn again.

local M = {}

---@class nodwyn.Mark A highlight; rows and columns count from 0, and an absent end is the end of the line.
---@field row integer
---@field from integer
---@field to? integer
---@field group string

---@class nodwyn.Block
---@field lines string[]
---@field marks nodwyn.Mark[]

---@return nodwyn.Block
local function block()
  return { lines = {}, marks = {} }
end

---@param b nodwyn.Block
---@param text string
---@param group? string
local function add(b, text, group)
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    table.insert(b.lines, line)
    if group then
      table.insert(b.marks, { row = #b.lines - 1, from = 0, group = group })
    end
  end
end

local GROUPS = { ['+'] = 'NodwynAdded', ['-'] = 'NodwynRemoved', ['@'] = 'NodwynHunk' }

--- Splits a unified diff into its lines, without the names of the files, each with its highlight.
---@param diff string
---@return { text: string, group: string }[]
function M.diff_lines(diff)
  local out = {}
  for _, line in ipairs(vim.split((diff:gsub('\n$', '')), '\n', { plain = true })) do
    if not line:match('^%-%-%- ') and not line:match('^%+%+%+ ') or #out > 0 then
      table.insert(out, { text = line, group = GROUPS[line:sub(1, 1)] or 'NodwynContext' })
    end
  end
  return out
end

--- Spells a command as a shell would take it.
---@param argv string[]
---@return string
function M.command(argv)
  local words = vim.tbl_map(function(word)
    return word:match('^[%w%-_./:=@%%+,]+$') and word or vim.fn.shellescape(word)
  end, argv)
  return (table.concat(words, ' '):gsub('\n', '\\n'))
end

local DECISIONS = {
  Allowed = { '✓', 'NodwynAllowed' },
  Denied = { '✗', 'NodwynDenied' },
  Expired = { '–', 'NodwynDenied' },
}

---@type table<nodwyn.CardKind, fun(b: nodwyn.Block, body: any)>
local draw = {}

---@param body nodwyn.AskBody
function draw.ask(b, body)
  add(b, '> ' .. body.text:gsub('\n', '\n> '), 'NodwynAsk')
end

---@param body nodwyn.QuestionBody
function draw.question(b, body)
  if body.answer then
    return add(b, ('✓ %s: %s'):format(body.text, body.answer), 'NodwynAllowed')
  end
  add(b, '? ' .. body.text, 'NodwynWaiting')
  if #body.choices > 0 then
    add(b, '  ' .. table.concat(body.choices, ' / '), 'NodwynContext')
  end
end

---@param body nodwyn.PermissionBody
function draw.permission(b, body)
  if body.decision then
    local sign = DECISIONS[body.decision:match('^%a+')] or { '·', 'NodwynContext' }
    return add(b, sign[1] .. ' ' .. body.decision, sign[2])
  end
  add(b, '? ' .. body.action, 'NodwynWaiting')
  if body.argv then
    add(b, '  $ ' .. M.command(body.argv), 'NodwynContext')
  end
  for _, line in ipairs(body.diff and M.diff_lines(body.diff) or {}) do
    add(b, '  ' .. line.text, line.group)
  end
end

---@param body nodwyn.ResultBody
function draw.result(b, body)
  if body.outcome then
    add(b, ('(%s)'):format(body.outcome), 'NodwynDenied')
  end
  if body.text ~= '' then
    add(b, body.text)
  end
end

---@param body nodwyn.ProofBody
function draw.proof(b, body)
  for _, stat in ipairs(body.diffstat) do
    local text = ('%s %s  +%d −%d'):format(stat.status, stat.path, stat.insertions, stat.deletions)
    add(b, text, 'NodwynContext')
  end
  if #body.diffstat == 0 then
    add(b, 'nothing written', 'NodwynContext')
  end
  for _, item in ipairs(body.items) do
    local passed = item.outcome == 'passed'
    add(
      b,
      ('%s %s %s'):format(passed and '✓' or '✗', item.name, item.outcome),
      passed and 'NodwynAllowed' or 'NodwynDenied'
    )
  end
end

--- Draws a card by its kind.
---@param card nodwyn.Card
---@return nodwyn.Block
function M.block(card)
  local b = block()
  if draw[card.kind] then
    draw[card.kind](b, card.body)
  else
    add(b, ('a card of the kind %q, which this plugin is too old to draw'):format(card.kind), 'NodwynDenied')
  end
  add(b, '')
  return b
end

return M
