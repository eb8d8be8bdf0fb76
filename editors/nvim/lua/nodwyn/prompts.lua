-- The prompts that wait for the person: who asked, what shows each of them, and the way its answer takes back.
--
-- Invariant: a prompt is answered once at most. One that was withdrawn is answered with null, which the server takes for nothing.

local M = {}

---@class nodwyn.Prompt
---@field session string Empty for a prompt outside sessions.
---@field id string
---@field title string
---@field lines { text: string, group?: string }[] What there is to decide about.
---@field answers { id: string, label: string, result: table }[]
---@field note? fun(text: string): table Makes the answer that a person says in words.
---@field note_label? string
---@field note_key? string The option with the key for it.
---@field params table
---@field thread? thread
---@field close? fun() Takes away what shows it.
---@field go? fun() Brings the person to what shows it.
---@field floats? boolean Whether a float shows it, and no file.

---@type nodwyn.Prompt[]
local open = {}

--- Shows the first prompt that no file shows, since two floats would hide each other.
local function show()
  local floating = false
  for _, prompt in ipairs(open) do
    floating = floating or (prompt.close ~= nil and prompt.floats)
  end
  for _, prompt in ipairs(open) do
    if not prompt.close and require('nodwyn.inline').show(prompt) then
      prompt.floats = false
    elseif not prompt.close and not floating then
      floating, prompt.floats = true, true
      local float = require('nodwyn.float').open(prompt.title, prompt.lines, M.choices(prompt), ':Nodwyn answer')
      -- Looked up when they are called, since a float that was closed by hand opens anew.
      prompt.close = function()
        float.close()
      end
      prompt.go = function()
        float.go()
      end
    end
  end
end

---@param prompt nodwyn.Prompt
local function remove(prompt)
  for i, other in ipairs(open) do
    if other == prompt then
      table.remove(open, i)
    end
  end
  if prompt.close then
    prompt.close()
    prompt.close = nil
  end
end

--- Shows a prompt and waits for its answer. It runs in the coroutine of the server's request.
---@param prompt nodwyn.Prompt
---@return any
function M.wait(prompt)
  prompt.thread = coroutine.running()
  table.insert(open, prompt)
  show()
  require('nodwyn.notice').say(prompt.session, prompt.title .. ' (:Nodwyn answer)')
  return coroutine.yield()
end

---@param prompt nodwyn.Prompt
---@param result any
function M.settle(prompt, result)
  if not vim.tbl_contains(open, prompt) then
    return
  end
  remove(prompt)
  coroutine.resume(prompt.thread, result)
  show()
end

--- Closes a prompt that somebody else answered, or that expired.
---@param session string
---@param id string
function M.withdraw(session, id)
  for _, prompt in ipairs(vim.list_slice(open)) do
    if prompt.session == session and prompt.id == id then
      M.settle(prompt, vim.NIL)
    end
  end
end

--- Closes every prompt: nobody is left to answer to.
function M.forget()
  for _, prompt in ipairs(vim.list_slice(open)) do
    remove(prompt)
  end
end

--- Returns the prompts that wait, the oldest first.
---@return nodwyn.Prompt[]
function M.open()
  return vim.list_slice(open)
end

--- Returns what a person can press for a prompt.
---@param prompt nodwyn.Prompt
---@return nodwyn.Choice[]
function M.choices(prompt)
  local keys = require('nodwyn.config').current().keys
  local out = {}
  for i, answer in ipairs(prompt.answers) do
    table.insert(out, {
      key = keys[answer.id] or tostring(i),
      label = answer.label,
      run = function()
        M.settle(prompt, answer.result)
      end,
    })
  end
  if prompt.note then
    table.insert(out, {
      key = keys[prompt.note_key],
      label = prompt.note_label,
      run = function()
        vim.ui.input({ prompt = prompt.note_label .. ': ' }, function(text)
          if text and text ~= '' then
            M.settle(prompt, prompt.note(text))
          end
        end)
      end,
    })
  end
  return out
end

--- Brings the person to the oldest prompt: to the place of a change, or into its float.
function M.go()
  local prompt = open[1]
  if not prompt then
    return require('nodwyn.notice').line('nodwyn: nothing waits for an answer')
  end
  if not prompt.floats and prompt.go then
    return prompt.go()
  end
  if require('nodwyn.inline').possible(prompt) then
    prompt.close()
    prompt.close, prompt.floats = nil, false
    require('nodwyn.inline').show(prompt, true)
    prompt.go()
    return show()
  end
  prompt.go()
end

--- Answers the oldest prompt in words: an option's id, or a choice.
---@param word string
function M.answer(word)
  local prompt = open[1]
  if not prompt then
    return require('nodwyn.notice').line('nodwyn: nothing waits for an answer')
  end
  for _, answer in ipairs(prompt.answers) do
    if answer.id == word then
      return M.settle(prompt, answer.result)
    end
  end
  if prompt.note then
    return M.settle(prompt, prompt.note(word))
  end
  require('nodwyn.client').report({ message = ('%q is none of the answers to %q'):format(word, prompt.title) })
end

return M
