-- What a session changed, as a diff in a tab page of its own.
--
-- Invariant: the view of a buffer says for each of its lines which file and hunk of the server's it belongs to.

local client = require('nodwyn.client')
local pick = require('nodwyn.pick')
local spell = require('nodwyn.spell')

local M = {}

local ns = vim.api.nvim_create_namespace('nodwyn.diff')

---@class nodwyn.DiffView
---@field s nodwyn.Session
---@field buf integer
---@field path? string The file that it is limited to.
---@field files nodwyn.FileDiff[]
---@field rows nodwyn.DiffRow[]
---@field marks table<string, true> The names of what was marked to land.

---@class nodwyn.Place
---@field path string
---@field hunk? string

---@type table<integer, nodwyn.DiffView>
local views = {}

---@return nodwyn.DiffView?, nodwyn.DiffRow?
local function here()
  local view = views[vim.api.nvim_get_current_buf()]
  return view, view and view.rows[vim.api.nvim_win_get_cursor(0)[1]]
end

--- Returns what was marked in the diff that the person is in, as a landing takes it.
---@return nodwyn.Landing
function M.marked()
  local v = here()
  return v and pick.landing(v.marks, v.files) or {}
end

--- Returns what the cursor is on, in a diff.
---@return nodwyn.Place?
function M.place()
  local _, row = here()
  return row and { path = row.file.path, hunk = row.hunk and row.hunk.id } or nil
end

--- Opens the file under the cursor as it is in the session's tree.
local function jump()
  local v, row = here()
  local root = v and v.s.state and v.s.state.repo
  if not row or not root then
    return
  end
  local line = spell.line(v.rows, vim.api.nvim_win_get_cursor(0)[1])
  vim.cmd.split(vim.fn.fnameescape(vim.fs.joinpath(root, row.file.path)))
  pcall(vim.api.nvim_win_set_cursor, 0, { line, 0 })
end

--- Makes the key that marks a hunk, or the whole file.
---@param whole boolean
---@return fun()
local function mark(whole)
  return function()
    local v, row = here()
    if row then
      pick.toggle(v.marks, pick.names(row.file, not whole and row.hunk or nil))
      pick.draw(v.buf, v.marks, v.rows)
      vim.cmd.redrawstatus()
    end
  end
end

local function invert()
  local v = here()
  pick.invert(v.marks, v.files)
  pick.draw(v.buf, v.marks, v.rows)
  vim.cmd.redrawstatus()
end

local function step(flags)
  return function()
    vim.fn.search('^@@', flags)
  end
end

local function help()
  require('nodwyn.guide').open('nodwyn-diff')
end

---@param v nodwyn.DiffView
local function set_keys(v)
  local keys = {
    { 'q', '<Cmd>tabclose<CR>', 'close the diff' },
    { '<CR>', jump, "open the file in the session's tree" },
    { 'm', mark(false), 'mark the hunk to land' },
    { 'M', mark(true), 'mark the file to land' },
    { '!', invert, 'mark everything else instead' },
    { 'L', '<Cmd>Nodwyn land<CR>', 'land what is marked, or everything' },
    { 'r', '<Cmd>Nodwyn revert<CR>', 'take back' },
    { 'u', '<Cmd>Nodwyn revert undo<CR>', 'bring back what was taken back last' },
    { ']]', step('W'), 'next hunk' },
    { '[[', step('bW'), 'previous hunk' },
    { 'g?', help, 'help' },
  }
  for _, key in ipairs(keys) do
    vim.keymap.set('n', key[1], key[2], { buffer = v.buf, nowait = true, desc = 'nodwyn: ' .. key[3] })
  end
end

--- Draws who else changes a file, at its first line.
---@param v nodwyn.DiffView
local function draw_overlaps(v)
  vim.api.nvim_buf_clear_namespace(v.buf, ns, 0, -1)
  for row, at in ipairs(v.rows) do
    local met = at.head and require('nodwyn.overlaps').of(v.s, at.file.path) or ''
    if met ~= '' then
      vim.api.nvim_buf_set_extmark(v.buf, ns, row - 1, 0, { virt_text = { { ' ' .. met, 'NodwynWaiting' } } })
    end
  end
end

--- Puts files into a view.
---@param v nodwyn.DiffView
---@param files nodwyn.FileDiff[]
local function fill(v, files)
  local lines
  v.files = files
  lines, v.rows = spell.lines(files)
  vim.bo[v.buf].modifiable = true
  vim.api.nvim_buf_set_lines(v.buf, 0, -1, false, #lines > 0 and lines or { 'nothing is left that has not landed' })
  vim.bo[v.buf].modifiable = false
  draw_overlaps(v)
  pick.draw(v.buf, v.marks, v.rows)
end

---@param s nodwyn.Session
---@param path? string
---@return nodwyn.DiffView
local function open(s, path)
  local name = ('nodwyn://%s/diff'):format(s.id)
  local old = vim.fn.bufnr('^' .. vim.fn.escape(name, '[]*?') .. '$')
  if old > 0 then
    vim.api.nvim_buf_delete(old, { force = true })
  end
  vim.cmd.tabnew()
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.api.nvim_buf_set_name(buf, name)
  vim.b[buf].nodwyn_diff = s.id
  views[buf] = { s = s, buf = buf, path = path, files = {}, rows = {}, marks = {} }
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      views[buf] = nil
    end,
  })
  vim.wo[0][0].signcolumn = 'yes'
  vim.wo[0][0].winbar = "%{%v:lua.require'nodwyn.diff'.winbar()%}"
  set_keys(views[buf])
  return views[buf]
end

--- The bar above a diff: what would land, and the keys.
---@return string
function M.winbar()
  local v = views[vim.api.nvim_get_current_buf()]
  if not v then
    return ''
  end
  local marked = pick.count(v.marks, v.files)
  local what = marked == '' and ' m marks a hunk to land, L lands everything'
    or (' %s marked, L lands that'):format(marked)
  return what .. ', r takes back%=g? keys '
end

--- Fetches the blocks of each file in turn: the server sends them one file at a time.
---@param s nodwyn.Session
---@param names nodwyn.FileDiff[]
---@param done fun(files: nodwyn.FileDiff[])
local function collect(s, names, done)
  local files = {}
  local function next_file(i)
    if not names[i] then
      return done(files)
    end
    client.request('session/diff', { session = s.id, path = names[i].path }, function(err, result)
      if err then
        return client.report(err)
      end
      vim.list_extend(files, result.files)
      next_file(i + 1)
    end)
  end
  next_file(1)
end

---@param s nodwyn.Session
---@param path? string
---@param done fun(files: nodwyn.FileDiff[])
local function fetch(s, path, done)
  client.request('session/diff', { session = s.id, path = path }, function(err, result)
    if err then
      return client.report(err)
    end
    collect(s, result.files, done)
  end)
end

--- Shows what a session changed, or one file of it.
---@param s nodwyn.Session
---@param path? string
function M.show(s, path)
  fetch(s, path, function(files)
    if #files == 0 then
      return require('nodwyn.notice').line('nodwyn: the session has changed nothing' .. (path and ' in ' .. path or ''))
    end
    local v = open(s, path)
    fill(v, files)
    vim.bo[v.buf].filetype = 'diff'
  end)
end

--- Fetches an open diff of a session again, for its files have changed.
---@param s nodwyn.Session
function M.refresh(s)
  for _, v in pairs(views) do
    if v.s == s then
      fetch(s, v.path, function(files)
        if views[v.buf] then
          fill(v, files)
        end
      end)
    end
  end
end

--- Draws anew who else changes the files of an open diff.
---@param s nodwyn.Session
function M.mark_overlaps(s)
  for _, v in pairs(views) do
    if v.s == s then
      draw_overlaps(v)
    end
  end
end

return M
