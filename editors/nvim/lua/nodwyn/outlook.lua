-- A landing that has not happened, in lines: what, by whom, and what moves with it.

local words = require('nodwyn.words')

local M = {}

---@param text string
---@param group? string
---@return nodwyn.Line
local function line(text, group)
  return { text = text, group = group or 'NodwynContext' }
end

--- Says who will have made the commits, and how they are signed.
---@param preview nodwyn.LandResult
---@param out nodwyn.Line[]
local function makers(preview, out)
  if not preview.author then
    return
  end
  local text = 'by ' .. preview.author
  if preview.committer and preview.committer ~= preview.author then
    text = text .. ', committed by ' .. preview.committer
  end
  table.insert(out, line(text .. (preview.signing and ', signed by ' .. preview.signing or ', not signed')))
end

--- Says whose files move.
---@param preview nodwyn.LandResult
---@param unsaved string[]
---@param out nodwyn.Line[]
local function places(preview, unsaved, out)
  if preview.checkout and preview.strategy ~= 'patch' then
    table.insert(out, line('the files in ' .. words.folder(preview.checkout) .. ' move along'))
  elseif not preview.checkout then
    table.insert(out, line('no folder has the branch checked out, so that no file of yours moves'))
  end
  if #unsaved > 0 then
    local text = 'unsaved changes here stay as they are: ' .. table.concat(unsaved, ', ')
    table.insert(out, line(text, 'NodwynWaiting'))
  end
end

---@param push nodwyn.PushResult
---@return nodwyn.Line
local function push_line(push)
  if not push.remote then
    return line('not pushed: ' .. (push.reason or 'the repository has no remote'), 'NodwynWaiting')
  end
  return line(('pushed to %s%s, once you permit it'):format(push.remote, push.url and ' (' .. push.url .. ')' or ''))
end

--- Says what of the session's work stays behind.
---@param how nodwyn.Landing
---@return nodwyn.Line?
local function chosen(how)
  local parts = {}
  if how.paths then
    table.insert(parts, words.count(#how.paths, 'file'))
  end
  if how.hunks then
    table.insert(parts, words.count(#how.hunks, 'hunk'))
  end
  return #parts > 0 and line('only what was marked: ' .. words.list(parts), 'NodwynWaiting') or nil
end

--- Spells the preview of a landing.
---@param preview nodwyn.LandResult
---@param how nodwyn.Landing
---@param unsaved string[] Names of files of it with unsaved changes in this Neovim.
---@return nodwyn.Line[]
function M.lines(preview, how, unsaved)
  local out = {}
  if vim.trim(preview.message) ~= '' then
    for _, text in ipairs(vim.split(vim.trim(preview.message), '\n', { plain = true })) do
      table.insert(out, { text = text })
    end
    table.insert(out, { text = '' })
  end
  vim.list_extend(out, words.files(preview.files))
  table.insert(out, chosen(how))
  table.insert(out, { text = '' })
  makers(preview, out)
  places(preview, unsaved, out)
  if #(preview.hooks or {}) > 0 then
    table.insert(out, line('your hooks do not run: ' .. table.concat(preview.hooks, ', ')))
  end
  if preview.push then
    table.insert(out, push_line(preview.push))
  end
  return out
end

return M
