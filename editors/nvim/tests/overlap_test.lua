local world = require('world')

local REPLIES = [[
call file-edit {"path": "README.md", "edits": [{"old": "It has a page.", "new": "It has two pages."}]}

say Two pages now.
]]
local OTHER = REPLIES:gsub('two pages', 'three pages')
local WRITES = '[guard]\nwrite = "session-worktree"\n'

local function session(n, text)
  n:command('Nodwyn new')
  n:await('a new session', [[local s = require('nodwyn.session').here(); return s and #s.cards == 0]])
  n:command('Nodwyn ask ' .. text)
  n:await_idle()
  return n:session()
end

case('two sessions that change the same line say so before either lands', function()
  local w = world.new({ replies = REPLIES .. '\n' .. OTHER, config = WRITES })
  local n = w:nvim('README.md')
  local first = session(n, 'two pages')
  check('alone', n:screen():find('⇄', 1, true), nil)
  session(n, 'another page')
  n:await_screen('⇄ 1 file')
  check('the status line', n:lua([[return require('nodwyn').statusline()]]), 'nodwyn: idle ⇄ 1 file')
  n:command('Nodwyn diff')
  n:await_screen('⇄ also changed by “two pages” (line 3)')
  n:press('q')
  n:command('Nodwyn overlaps')
  n:await_list('README.md  line 3  “two pages”')
  n:press('o')
  n:await('the other session', [[return vim.b.nodwyn_session == ...]], first)
  n:command('Nodwyn overlaps')
  n:await_list('“another page”')
  n:press('<CR>')
  n:await('the place', [[return vim.api.nvim_get_current_line() == 'It has two pages.']])
  n:command('Nodwyn sessions')
  n:await_list('⇄ 1 file')
end)

case('without an overlap the list says so', function()
  local w = world.new({ replies = REPLIES, config = WRITES })
  local n = w:nvim('README.md')
  session(n, 'two pages')
  n:command('Nodwyn overlaps')
  n:await_told('no other open session changes a file that this one changes')
end)

case('a tree that is not there yet is waited for in view', function()
  -- As many files as are not waited for, with a filter of the person's that stands for a slow disk.
  local files = { ['README.md'] = '# A project\n\nIt has a page.\n' }
  for i = 1, 1200 do
    files[('%s%04d'):format(('x'):rep(200), i)] = ''
  end
  local w = world.new({ replies = REPLIES, config = WRITES, files = files })
  local go = w.dir .. '/go'
  w:git('config', '--global', 'filter.slow.smudge', ("until test -e '%s'; do sleep 0.01; done; cat"):format(go))
  w:git('config', '--global', 'filter.slow.clean', 'cat')
  w:write('.gitattributes', '*.md filter=slow\n')
  w:git('add', '-A')
  w:git('commit', '-q', '-m', 'a filter')
  local n = w:nvim('README.md')
  n:command('Nodwyn ask two pages')
  n:await_line('> two pages')
  n:await_screen(' checking out…')
  n:command('Nodwyn worktree')
  n:await_told("the session's tree is still being checked out")
  assert(io.open(go, 'w')):close()
  n:await_line('M README.md  +1 −1')
  n:await_idle()
  n:await_screen(' idle')
  n:command('Nodwyn worktree')
  n:await_told('this tab page works in ')
end)
