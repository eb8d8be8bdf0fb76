-- What a session changed, as a diff in a tab page of its own.

local client = require('nodwyn.client')

local M = {}

--- Spells one changed file as git does, so that the syntax of diffs colours it.
---@param file nodwyn.FileDiff
---@return string[]
local function file_lines(file)
  local out = { ('diff --git a/%s b/%s'):format(file.oldPath or file.path, file.path) }
  if file.oldPath then
    vim.list_extend(out, { 'rename from ' .. file.oldPath, 'rename to ' .. file.path })
  end
  if file.binary then
    table.insert(out, 'Binary files differ')
  elseif #(file.hunks or {}) > 0 then
    table.insert(out, file.status == 'A' and '--- /dev/null' or '--- a/' .. (file.oldPath or file.path))
    table.insert(out, file.status == 'D' and '+++ /dev/null' or '+++ b/' .. file.path)
  end
  for _, hunk in ipairs(file.hunks or {}) do
    table.insert(out, hunk.header)
    vim.list_extend(out, vim.split((hunk.text:gsub('\n$', '')), '\n', { plain = true }))
  end
  return out
end

--- Finds the file and the line of it that the cursor is on.
---@param lines string[]
---@param row integer
---@return string? path, integer? line
function M.target(lines, row)
  local line = 0
  for i = row, 1, -1 do
    local text = lines[i]
    local start = text:match('^@@ %-[%d,]+ %+(%d+)')
    if start then
      for j = i + 1, row - 1 do
        line = line + (lines[j]:match('^[+ ]') and 1 or 0)
      end
      line = line + tonumber(start)
      for k = i, 1, -1 do
        local path = lines[k]:match('^%+%+%+ b/(.+)$')
        if path then
          return path, math.max(line, 1)
        end
      end
      return nil
    end
    local path = text:match('^%+%+%+ b/(.+)$')
    if path then
      return path, 1
    end
  end
end

--- Opens the file under the cursor as it is in the session's tree.
---@param s nodwyn.Session
local function jump(s)
  local path, line = M.target(vim.api.nvim_buf_get_lines(0, 0, -1, false), vim.api.nvim_win_get_cursor(0)[1])
  local root = s.state and s.state.repo
  if not path or not root then
    return
  end
  vim.cmd.split(vim.fn.fnameescape(vim.fs.joinpath(root, path)))
  pcall(vim.api.nvim_win_set_cursor, 0, { line, 0 })
end

---@param s nodwyn.Session
---@param lines string[]
local function open(s, lines)
  local name = ('nodwyn://%s/diff'):format(s.id)
  local old = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?') .. '$')
  if old > 0 then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  vim.cmd.tabnew()
  local buf = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].modifiable = false
  vim.api.nvim_buf_set_name(buf, name)
  vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = buf, nowait = true, desc = 'nodwyn: close the diff' })
  vim.keymap.set('n', '<CR>', function()
    jump(s)
  end, { buffer = buf, desc = "nodwyn: open the file in the session's tree" })
  vim.bo[buf].filetype = 'diff'
end

--- Fetches the blocks of each file in turn: the server sends them one file at a time.
---@param s nodwyn.Session
---@param files nodwyn.FileDiff[]
---@param done fun(lines: string[])
local function collect(s, files, done)
  local lines = {}
  local function next_file(i)
    if not files[i] then
      return done(lines)
    end
    client.request('session/diff', { session = s.id, path = files[i].path }, function(err, result)
      if err then
        return client.report(err)
      end
      for _, file in ipairs(result.files) do
        vim.list_extend(lines, file_lines(file))
      end
      next_file(i + 1)
    end)
  end
  next_file(1)
end

--- Shows what a session changed, or one file of it.
---@param s nodwyn.Session
---@param path? string
function M.show(s, path)
  client.request('session/diff', { session = s.id, path = path }, function(err, result)
    if err then
      return client.report(err)
    end
    if #result.files == 0 then
      return require('nodwyn.notice').line('nodwyn: the session has changed nothing' .. (path and ' in ' .. path or ''))
    end
    collect(s, result.files, function(lines)
      open(s, lines)
    end)
  end)
end

return M
