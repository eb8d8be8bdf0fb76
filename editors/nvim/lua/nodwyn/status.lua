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
  if require('nodwyn.session').checking_out(s) then
    return 'checking out…'
  end
  if s.status == 'running' and s.step > 0 then
    return ('running, step %d'):format(s.step)
  end
  return s.status
end

--- Says in how many files a session meets another; empty when in none.
---@param s { overlaps: nodwyn.Overlap[] }
---@return string
function M.overlap(s)
  local files = {}
  for _, one in ipairs(s.overlaps) do
    files[one.path] = true
  end
  local count = vim.tbl_count(files)
  return count > 0 and '⇄ ' .. require('nodwyn.words').count(count, 'file') or ''
end

return M
