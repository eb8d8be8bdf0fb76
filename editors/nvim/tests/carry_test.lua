local world = require('world')

local REPLIES = [[
call file-edit {"path": "README.md", "edits": [{"old": "It has a page.", "new": "It has two pages."}]}

say Two pages now.
]]
local WRITES = '[guard]\nwrite = "session-worktree"\n'

--- A checkout with a changed and a new file.
local function dirty(config)
  local w = world.new({ replies = REPLIES, config = WRITES .. (config or '') })
  w:write('README.md', '# My project\n\nIt has a page.\n')
  w:write('notes.txt', 'mine\n')
  return w, w:nvim('README.md')
end

--- What the session's tree has of the person's.
local function tree(n)
  n:await_line('Two pages now.')
  n:await_idle()
  local repo = n:lua([[return require('nodwyn.session').here().state.repo]])
  return { world.read(repo .. '/README.md'), vim.uv.fs_stat(repo .. '/notes.txt') ~= nil }
end

local BEHIND = '1 changed and 1 new file of yours stay behind · Ctrl-T takes them along'
local ALONG = '1 changed and 1 new file of yours come along · Ctrl-T leaves them here'

case('work that stays behind is named, and costs no key', function()
  local _, n = dirty()
  n:command('Nodwyn ask')
  n:await_screen(BEHIND)
  n:type('two pages')
  n:press('<CR>')
  check('the tree', tree(n), { '# A project\n\nIt has two pages.\n', false })
  check('keys', n.pressed, 3)
  n:await_line('1 changed and 1 new file of yours are not in it')
end)

case('a key takes it along, and it is never the agent’s', function()
  local w, n = dirty()
  n:command('Nodwyn ask')
  n:await_screen(BEHIND)
  n:type('two pages')
  n:press('<C-t>')
  n:await_screen(ALONG)
  n:press('<CR>')
  check('the tree', tree(n), { '# My project\n\nIt has two pages.\n', true })
  n:await_line('your uncommitted work came along')
  n:command('Nodwyn diff')
  n:await('the diff', [[return vim.bo.filetype == 'diff']])
  local lines = n:lua(
    [[return vim.tbl_filter(function(l) return l:match('^[+-]') end, vim.api.nvim_buf_get_lines(0, 0, -1, false))]]
  )
  check('what changed', lines, { '--- a/README.md', '+++ b/README.md', '-It has a page.', '+It has two pages.' })
  check('the checkout', w:git('status', '--porcelain'), ' M README.md\n?? notes.txt\n')
end)

case('the key pressed twice leaves it behind', function()
  local _, n = dirty()
  n:command('Nodwyn ask')
  n:await_screen(BEHIND)
  n:press('<C-t>')
  n:await_screen(ALONG)
  n:press('<C-t>')
  n:await_screen(BEHIND)
  n:type('two pages')
  n:press('<CR>')
  check('the tree', tree(n), { '# A project\n\nIt has two pages.\n', false })
end)

case('without the float it comes along by a bang', function()
  local _, n = dirty()
  n:command('Nodwyn! ask two pages')
  check('the tree', tree(n), { '# My project\n\nIt has two pages.\n', true })
end)

case('where the configuration takes it along, a key leaves it', function()
  local _, n = dirty('[worktree]\ncarry_uncommitted = true\n')
  n:command('Nodwyn ask')
  n:await_screen(ALONG)
  n:type('two pages')
  n:press('<C-t>')
  n:await_screen(BEHIND)
  n:press('<CR>')
  check('the tree', tree(n), { '# A project\n\nIt has two pages.\n', false })
end)

case('a session that goes on says nothing of what stays behind', function()
  local _, n = dirty()
  n:command('Nodwyn ask two pages')
  tree(n)
  n:command('Nodwyn ask')
  n:await_screen('Enter sends')
  n:rest()
  check('the float', n:screen():find('Ctrl-T', 1, true), nil)
end)
