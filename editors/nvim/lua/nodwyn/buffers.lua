-- The person's open files while something of ours moves them on disk.
--
-- Invariant: a buffer with unsaved changes is never read again, only told about.

local M = {}

---@class nodwyn.Moved
---@field unsaved string[] Names of files that moved below unsaved changes.
---@field gone string[] Names of files that are not there any more.

---@param name string
---@return string
local function real(name)
  return vim.uv.fs_realpath(name) or vim.fs.normalize(name)
end

--- Finds the open files below a folder: the buffer of each name, relative to the folder.
---@param root string
---@return table<string, integer>
local function open_below(root)
  local out, top = {}, real(root)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf)
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and name ~= '' then
      -- By its folder, since the file itself may not be there yet.
      local file = vim.fs.joinpath(real(vim.fs.dirname(name)), vim.fs.basename(name))
      if vim.startswith(file, top .. '/') then
        out[file:sub(#top + 2)] = buf
      end
    end
  end
  return out
end

---@param buf integer
---@return string state Another one when the file on disk is another.
local function disk(buf)
  local stat = vim.uv.fs_stat(vim.api.nvim_buf_get_name(buf))
  return stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino) or ''
end

--- Reads a buffer's file again, whatever the person has set, since there is nothing in it that could be lost.
---@param buf integer
---@param new boolean Whether there was no file before.
local function read_again(buf, new)
  vim.api.nvim_buf_call(buf, function()
    if new then
      return vim.cmd('silent edit')
    end
    vim.cmd('setlocal autoread')
    vim.cmd.checktime(buf)
    vim.cmd('setlocal autoread<')
  end)
end

--- Remembers how the files below a folder are, and returns what brings the buffers up to them and says what is left to tell.
---@param root string
---@return fun(): nodwyn.Moved
function M.watch(root)
  local before = {}
  for name, buf in pairs(open_below(root)) do
    before[name] = { buf = buf, disk = disk(buf) }
  end
  return function()
    local moved = { unsaved = {}, gone = {} }
    for name, one in pairs(before) do
      local now = vim.api.nvim_buf_is_loaded(one.buf) and disk(one.buf) or one.disk
      if now == one.disk then
        -- Nothing happened to it.
      elseif vim.bo[one.buf].modified then
        table.insert(moved.unsaved, name)
      elseif now == '' then
        table.insert(moved.gone, name)
      else
        read_again(one.buf, one.disk == '')
      end
    end
    table.sort(moved.unsaved)
    table.sort(moved.gone)
    return moved
  end
end

--- Lists those of some files below a folder that have unsaved changes here.
---@param root string
---@param files nodwyn.FileDiff[]
---@return string[]
function M.unsaved(root, files)
  local open = open_below(root)
  local names = {}
  for _, file in ipairs(files) do
    local buf = open[file.path] or file.oldPath and open[file.oldPath]
    if buf and vim.bo[buf].modified then
      table.insert(names, file.path)
    end
  end
  return names
end

--- Tells what was done, and which open files it could not bring up to it.
---@param text string
---@param moved nodwyn.Moved
function M.tell(text, moved)
  if #moved.unsaved + #moved.gone == 0 then
    return require('nodwyn.notice').line(text)
  end
  local lines = { text }
  for _, name in ipairs(moved.unsaved) do
    table.insert(lines, ('  %s moved on disk below your unsaved changes, which stay: :e! takes the file'):format(name))
  end
  for _, name in ipairs(moved.gone) do
    table.insert(lines, ('  %s is gone from disk: its buffer still has the text'):format(name))
  end
  vim.notify(table.concat(lines, '\n'), vim.log.levels.WARN)
end

return M
