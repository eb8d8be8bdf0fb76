-- Keys that work only once the cursor has rested where they apply, so that nobody answers while typing.
--
-- Invariant: after disarm() and after the release of a watch the buffer has the maps that it had before.

local M = {}

---@class nodwyn.Choice
---@field key string
---@field label string
---@field run fun()

---@class nodwyn.Watch
---@field buf integer
---@field choices nodwyn.Choice[]
---@field ms integer
---@field here fun(): boolean Whether the cursor, which is in the buffer, is where the keys apply.
---@field told fun(armed: boolean) Learns whether the keys work.

local count = 0

--- Sets the keys and returns what takes them away again.
---@param w nodwyn.Watch
---@return fun()
local function set(w)
  local old = {}
  for _, choice in ipairs(w.choices) do
    vim.api.nvim_buf_call(w.buf, function()
      local map = vim.fn.maparg(choice.key, 'n', false, true)
      old[choice.key] = map.buffer == 1 and map or false
    end)
    vim.keymap.set('n', choice.key, choice.run, { buffer = w.buf, nowait = true, desc = 'nodwyn: ' .. choice.label })
  end
  return function()
    if not vim.api.nvim_buf_is_valid(w.buf) then
      return
    end
    for key, map in pairs(old) do
      pcall(vim.keymap.del, 'n', key, { buffer = w.buf })
      if map then
        vim.api.nvim_buf_call(w.buf, function()
          vim.fn.mapset('n', false, map)
        end)
      end
    end
  end
end

--- Watches a buffer for rest, and returns the release.
---@param w nodwyn.Watch
---@return fun() release
function M.watch(w)
  local timer = assert(vim.uv.new_timer())
  ---@type fun()?
  local unset
  local function disarm()
    if unset then
      unset()
      unset = nil
      w.told(false)
    end
  end
  local function rests()
    return vim.api.nvim_get_current_buf() == w.buf and vim.api.nvim_get_mode().mode == 'n' and w.here()
  end
  local function restart()
    if timer:is_closing() then
      return
    end
    timer:stop()
    disarm()
    if rests() then
      timer:start(
        w.ms,
        0,
        vim.schedule_wrap(function()
          if not timer:is_closing() and not unset and rests() then
            unset = set(w)
            w.told(true)
          end
        end)
      )
    end
  end
  count = count + 1
  local group = vim.api.nvim_create_augroup('nodwyn.arm.' .. count, {})
  local moves = { 'BufEnter', 'WinEnter', 'CursorMoved', 'TextChanged', 'ModeChanged', 'FocusGained' }
  vim.api.nvim_create_autocmd(moves, { group = group, callback = restart })
  restart()
  return function()
    if timer:is_closing() then
      return
    end
    timer:close()
    disarm()
    vim.api.nvim_del_augroup_by_id(group)
  end
end

--- Spells the keys for the person, as pieces with their highlight.
---@param choices nodwyn.Choice[]
---@param armed boolean
---@return { [1]: string, [2]: string }[]
function M.legend(choices, armed)
  local out = {}
  for _, choice in ipairs(choices) do
    table.insert(out, { ' ' .. choice.key, armed and 'NodwynKey' or 'NodwynContext' })
    table.insert(out, { ' ' .. choice.label .. ' ', 'NodwynContext' })
  end
  return out
end

return M
