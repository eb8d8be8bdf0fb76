local world = require('world')

local REPLIES = [[
call file-edit {"path": "README.md", "edits": [{"old": "It has a page.", "new": "It has two pages."}]}

say Two pages now.
]]
local WRITES = '[guard]\nwrite = "session-worktree"\n'

local function written()
  local w = world.new({ replies = REPLIES, config = WRITES })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask make it two pages')
  n:await_line('M README.md  +1 −1')
  n:await_idle()
  return w, n
end

case("the diff shows what changed, and leads to the session's file", function()
  local _, n = written()
  n:command('Nodwyn diff')
  n:await('the diff', [[return vim.bo.filetype == 'diff']])
  local lines = n:lua([[return vim.api.nvim_buf_get_lines(0, 0, -1, false)]])
  check('the diff', lines, {
    'diff --git a/README.md b/README.md',
    '--- a/README.md',
    '+++ b/README.md',
    '@@ -1,3 +1,3 @@',
    ' # A project',
    ' ',
    '-It has a page.',
    '+It has two pages.',
  })
  n:press('G', '<CR>')
  n:await('the file', [[return vim.api.nvim_get_current_line() == 'It has two pages.']])
end)

case('a landing is shown first, and done by a key', function()
  local w, n = written()
  n:command('Nodwyn land')
  n:await_screen('Land on main')
  n:await_screen('M README.md  +1 −1')
  check('nothing moved', w:read('README.md'), '# A project\n\nIt has a page.\n')
  n:answer_by('y')
  n:await_told('landed 1 file on main as ')
  check('the checkout', w:read('README.md'), '# A project\n\nIt has two pages.\n')
  n:await('the buffer', [[return vim.fn.getbufline('README.md', 3)[1] == 'It has two pages.']])
  check('commits', w:git('rev-list', '--count', 'HEAD'), '2\n')
end)

case('a landing that is left moves nothing', function()
  local w, n = written()
  n:command('Nodwyn land')
  n:await_screen('Land on main')
  n:answer_by('n')
  n:await('the float being gone', [[return #vim.api.nvim_list_wins() == 2]])
  check('commits', w:git('rev-list', '--count', 'HEAD'), '1\n')
end)

case('the message of a landing can be written', function()
  local w, n = written()
  n:command('Nodwyn land')
  n:answer_by('N')
  n:await_screen('Message of the commit')
  n:type(', by hand')
  n:press('<CR>')
  n:await_screen('make it two pages, by hand')
  n:answer_by('y')
  n:await_told('landed 1 file')
  check('the message', w:git('log', '-1', '--format=%s'), 'make it two pages, by hand\n')
end)

case('what is in the way of a landing can be moved, and the landing tried again', function()
  local w, n = written()
  w:write('README.md', '# A project\n\nIt has my page.\n')
  n:command('Nodwyn land')
  n:answer_by('y')
  n:await_screen('Nothing landed')
  check('the checkout', w:read('README.md'), '# A project\n\nIt has my page.\n')
  w:git('stash', '-q')
  n:answer_by('y')
  n:await_screen('Land on main')
  n:answer_by('y')
  n:await_told('landed 1 file on main')
end)

case('a landing says by whom it is, what does not run and what moves along', function()
  local w, n = written()
  w:write('.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n')
  w:run({ 'chmod', '+x', '.git/hooks/pre-commit' }, w.repo)
  n:command('Nodwyn land')
  n:await_screen('Land on main (squash)')
  n:await_screen('by Ada Tester <ada@example.org>, not signed')
  n:await_screen('your hooks do not run: pre-commit')
  n:await_screen('/repo move along')
  n:answer_by('y')
  n:await_told('landed 1 file on main as ')
  check('the author', w:git('log', '-1', '--format=%an <%ae>'), 'Ada Tester <ada@example.org>\n')
end)

case('a file with unsaved changes is told about and never overwritten', function()
  local w, n = written()
  n:lua([[vim.api.nvim_buf_set_lines(vim.fn.bufnr('README.md'), 0, 1, false, { '# My project' })]])
  n:command('Nodwyn land')
  n:await_screen('unsaved changes here stay as they are: README.md')
  n:answer_by('y')
  n:await_told('README.md moved on disk below your unsaved changes, which stay')
  check('the checkout', w:read('README.md'), '# A project\n\nIt has two pages.\n')
  check(
    'the buffer',
    n:lua([[return vim.fn.getbufline('README.md', 1, '$')]]),
    { '# My project', '', 'It has a page.' }
  )
  check('unsaved', n:lua([[return vim.fn.getbufvar('README.md', '&modified')]]), 1)
end)

case('open files are read again even where the person has switched that off', function()
  local _, n = written()
  n:command('set noautoread')
  n:command('Nodwyn land')
  n:answer_by('y')
  n:await('the buffer', [[return vim.fn.getbufline('README.md', 3)[1] == 'It has two pages.']])
  check('what they chose', n:lua([[return vim.go.autoread]]), false)
end)

case('a landing is taken back, and the open file with it', function()
  local w, n = written()
  n:command('Nodwyn land')
  n:answer_by('y')
  n:await('the buffer', [[return vim.fn.getbufline('README.md', 3)[1] == 'It has two pages.']])
  n:command('Nodwyn unland')
  n:await_screen('Take the landing back')
  check('nothing moved', w:git('rev-list', '--count', 'HEAD'), '2\n')
  n:answer_by('y')
  n:await_told('main is back at ')
  n:await('the buffer', [[return vim.fn.getbufline('README.md', 3)[1] == 'It has a page.']])
  check('commits', w:git('rev-list', '--count', 'HEAD'), '1\n')
  n:command('Nodwyn land')
  n:answer_by('y')
  n:await('the buffer', [[return vim.fn.getbufline('README.md', 3)[1] == 'It has two pages.']])
end)
