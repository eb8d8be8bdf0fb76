-- The requests that wait for the running turn.

local list = require('nodwyn.list')
local session = require('nodwyn.session')

local M = {}

--- Shows what waits, to be edited or dropped.
---@param s nodwyn.Session
function M.show(s)
  ---@type nodwyn.QueuedPrompt[]
  local waiting = {}
  local shown
  local function draw(result)
    waiting = result.queue
    local lines = vim.tbl_map(function(one)
      return (one.text:gsub('%s+', ' '))
    end, waiting)
    list.fill(shown, #lines > 0 and lines or { 'nothing waits' })
  end
  local function change(params)
    session.call(s, 'session/queue', params, draw)
  end
  session.call(s, 'session/queue', {}, function(result)
    shown = list.open('Waiting requests', 'Enter edits, D drops', {
      D = function(entry)
        if waiting[entry] then
          change({ drop = { waiting[entry].id } })
        end
      end,
      ['<CR>'] = function(entry)
        local one = waiting[entry]
        if one then
          require('nodwyn.input').open('Edit', one.text, function(text)
            change({ edit = { { id = one.id, text = text } } })
          end)
        end
      end,
    })
    draw(result)
  end)
end

return M
