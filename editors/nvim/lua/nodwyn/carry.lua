-- The person's own uncommitted work, which a new session can take along into its tree.
--
-- Invariant: whoever does not care presses no key for it; then the server's configuration decides.

local client = require('nodwyn.client')
local words = require('nodwyn.words')

local M = {}

local ALL = { uncommitted = true, untracked = true }
-- Spelled out, since an empty Lua table would go out as a list.
local NONE = { uncommitted = false, untracked = false }

--- Returns what session/new takes for "everything".
---@return nodwyn.Carry
function M.all()
  return vim.deepcopy(ALL)
end

---@class nodwyn.CarryOffer
---@field uncommitted integer
---@field untracked integer
---@field along boolean Whether it comes along.
---@field chosen boolean Whether the person said so.

--- Counts what a session's tree would lack.
---@param params nodwyn.NewParams
---@param carry? nodwyn.Carry
---@param done fun(uncommitted: integer, untracked: integer)
local function lacking(params, carry, done)
  local asked = vim.tbl_extend('force', params, { preview = true, carry = carry })
  client.request('session/new', asked, function(err, state)
    -- What is wrong is told when the session is started; a look has no word in it.
    local tree = not err and state.worktree
    if tree then
      done(tree.uncommitted, tree.untracked)
    end
  end)
end

--- Looks for work that a new session would lack, and for what happens to it without a word of the person's. Nothing comes of a checkout without any.
---@param params nodwyn.NewParams
---@param done fun(offer: nodwyn.CarryOffer)
local function look(params, done)
  lacking(params, NONE, function(uncommitted, untracked)
    if uncommitted + untracked == 0 then
      return
    end
    lacking(params, nil, function(changed, new)
      done({ uncommitted = uncommitted, untracked = untracked, along = changed + new == 0, chosen = false })
    end)
  end)
end

---@param offer nodwyn.CarryOffer
---@param key string
---@return string
local function line_of(offer, key)
  local what, single = words.own(offer.uncommitted, offer.untracked)
  local way
  if offer.along then
    way = ('%s along · %s leaves %s here'):format(single and 'comes' or 'come', key, single and 'it' or 'them')
  else
    way = ('%s behind · %s takes %s along'):format(single and 'stays' or 'stay', key, single and 'it' or 'them')
  end
  return what .. ' ' .. way
end

--- Spells a key as people do.
---@param key string
---@return string
local function spelled(key)
  return (key:gsub('^<[Cc]%-(.)>$', function(letter)
    return 'Ctrl-' .. letter:upper()
  end))
end

--- Draws the offer as the first line of an input float, which grows by it.
---@param win integer
---@param offer nodwyn.CarryOffer
---@param key string
local function draw(win, offer, key)
  local group = offer.along and 'NodwynAllowed' or 'NodwynWaiting'
  if vim.wo[win].winbar == '' then
    vim.api.nvim_win_set_height(win, vim.api.nvim_win_get_height(win) + 1)
  end
  vim.wo[win][0].winbar = ('%%#%s# %s%%*'):format(group, (line_of(offer, spelled(key)):gsub('%%', '%%%%')))
end

--- Offers in an input float to take the person's work along, and returns what asks for the choice.
---@param input nodwyn.Input
---@param params nodwyn.NewParams
---@param chosen? nodwyn.Carry What the person chose before, when the float comes back.
---@return fun(): nodwyn.Carry?
function M.offer(input, params, chosen)
  ---@type nodwyn.CarryOffer?
  local offer
  look(params, function(found)
    if not vim.api.nvim_win_is_valid(input.win) then
      return
    end
    offer = found
    if chosen then
      offer.along, offer.chosen = chosen.uncommitted, true
    end
    local key = require('nodwyn.config').current().keys.carry
    draw(input.win, offer, key)
    vim.keymap.set({ 'n', 'i' }, key, function()
      offer.along, offer.chosen = not offer.along, true
      draw(input.win, offer, key)
    end, { buffer = input.buf, nowait = true, desc = 'nodwyn: take your uncommitted work along, or not' })
  end)
  return function()
    if not offer or not offer.chosen then
      return chosen
    end
    return vim.deepcopy(offer.along and ALL or NONE)
  end
end

return M
