-- Runs the project's checks when a person asks for it.

local M = {}

---@param result nodwyn.ProofResult
---@return string text
---@return integer level
local function summary(result)
  if #result.items == 0 then
    return 'nodwyn: this project has no checks', vim.log.levels.WARN
  end
  if #result.failed > 0 then
    return 'nodwyn: failed: ' .. table.concat(result.failed, ', '), vim.log.levels.WARN
  end
  local passed, other = 0, {}
  for _, item in ipairs(result.items) do
    if item.outcome == 'passed' then
      passed = passed + 1
    else
      table.insert(other, ('%s %s'):format(item.name, item.outcome))
    end
  end
  local text = ('nodwyn: %d of %d checks passed'):format(passed, #result.items)
  return #other > 0 and text .. '; ' .. table.concat(other, ', ') or text, vim.log.levels.INFO
end

--- Runs all checks of the session's project, those too that run only when asked for.
---@param s nodwyn.Session
function M.again(s)
  require('nodwyn.notice').line('nodwyn: running the checks')
  require('nodwyn.session').call(s, 'session/proof', { rerun = true }, function(result)
    local text, level = summary(result)
    vim.notify(text, level)
  end)
end

return M
