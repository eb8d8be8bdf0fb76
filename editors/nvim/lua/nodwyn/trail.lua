-- What a turn did and is doing, in the server's plain words, with the output of a step on demand.

local client = require('nodwyn.client')
local list = require('nodwyn.list')

local M = {}

-- A running command says more every moment, and nothing tells when: it is asked for as often as a person looks.
local EVERY = 500

local SIGNS = { running = '…', done = '✓', failed = '✗' }

---@class nodwyn.TrailView
---@field steps nodwyn.TrailStep[]
---@field call? string The call whose output is shown below its step.
---@field output? string
---@field rows integer[] The step of each line.

---@param v nodwyn.TrailView
---@return string[]
local function lines_of(v)
  local lines = {}
  v.rows = {}
  local function add(text, step)
    table.insert(lines, text)
    table.insert(v.rows, step)
  end
  for i, step in ipairs(v.steps) do
    add(('%s %s'):format(SIGNS[step.state] or '·', step.text), i)
    if v.output and vim.tbl_contains(step.calls, v.call) then
      for _, line in ipairs(vim.split((v.output:gsub('\n$', '')), '\n', { plain = true })) do
        add('    ' .. line, i)
      end
    end
  end
  return #lines > 0 and lines or { 'nothing yet' }
end

--- Shows the trail of the last turn, and keeps it current while the list is open.
---@param s nodwyn.Session
function M.show(s)
  local v = { steps = {}, rows = {} }
  local shown
  local function fetch(again)
    client.request('session/trail', { session = s.id, call = v.call }, function(err, result)
      if err then
        return client.report(err)
      end
      v.steps, v.output = result.steps, result.output
      shown = shown
        or list.open('Trail', 'Enter shows the output', {
          ['<CR>'] = function(row)
            local step = v.steps[v.rows[row]]
            local call = step and step.calls[#step.calls]
            v.call = call ~= v.call and call or nil
            fetch(false)
          end,
        })
      local open = list.fill(shown, lines_of(v))
      -- Not only while a turn runs: checks do without one.
      if again and open and require('nodwyn.session').held(s) then
        vim.defer_fn(function()
          fetch(true)
        end, EVERY)
      end
    end)
  end
  fetch(true)
end

return M
