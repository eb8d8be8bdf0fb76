-- What a session is doing, in a few words.

local M = {}

local WAITS = {
  permission = 'waits for your permission',
  question = 'waits for your answer',
  budget = 'waits for your word on the budget',
  index = 'reads the repository',
}

---@param s nodwyn.Session
---@return string
function M.text(s)
  for _, wait in ipairs(s.waits) do
    if WAITS[wait] then
      return WAITS[wait]
    end
  end
  if s.status == 'running' and s.step > 0 then
    return ('running, step %d'):format(s.step)
  end
  return s.status
end

return M
