-- The turns of a session, to choose one from.

local client = require('nodwyn.client')

local M = {}

--- Collects the requests of a session from its log, by turn.
---@param s nodwyn.Session
---@param done fun(turns: { turn: integer, text: string }[])
local function requests(s, done)
  local out = {}
  local function page(from)
    client.request('session/events', { session = s.id, fromSeq = from }, function(err, result)
      if err then
        return client.report(err)
      end
      for _, event in ipairs(result.events) do
        if event.kind == 'user.msg' then
          table.insert(out, { turn = event.payload.turn, text = event.payload.text:gsub('%s+', ' ') })
        end
      end
      if result.next then
        return page(result.next)
      end
      done(out)
    end)
  end
  page()
end

--- Lets the person choose the turn to go back to.
---@param s nodwyn.Session
---@param done fun(turn: integer)
function M.choose(s, done)
  requests(s, function(turns)
    table.insert(turns, 1, { turn = 0, text = 'the start' })
    local list = require('nodwyn.list')
    local shown
    shown = list.open('Go back to the end of a turn', 'Enter shows what that takes back', {
      ['<CR>'] = function(entry)
        list.close(shown)
        done(turns[entry].turn)
      end,
    })
    list.fill(
      shown,
      vim.tbl_map(function(one)
        return ('%3d  %s'):format(one.turn, one.text)
      end, turns)
    )
    vim.api.nvim_win_set_cursor(shown.win, { #turns, 0 })
  end)
end

return M
