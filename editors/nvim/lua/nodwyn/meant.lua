-- The session that a command means.

local M = {}

--- Returns what is known of sessions, which is loaded when it is needed.
function M.session()
  return require('nodwyn.session')
end

local function none()
  require('nodwyn.notice').line(
    'nodwyn: no session here yet: `:Nodwyn ask` starts one, `:Nodwyn sessions` lists the others'
  )
end

--- Calls with the session that is meant, or says that there is none.
---@param act fun(s: nodwyn.Session)
function M.with(act)
  local s = M.session().here()
  if s then
    return act(s)
  end
  none()
end

--- Does as with() does, but a Neovim that has seen no session here takes the folder's last one: a person goes on where they were.
---@param act fun(s: nodwyn.Session)
---@param wanted? fun(one: nodwyn.Summary): boolean
function M.with_last(act, wanted)
  local s = M.session().here()
  if s then
    return act(s)
  end
  require('nodwyn.sessions').latest(wanted, function(found)
    if found then
      return act(found)
    end
    none()
  end)
end

return M
