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

case('a conflict is shown with its files and with what to do', function()
  local w, n = written()
  w:write('README.md', '# A project\n\nIt has no page.\n')
  w:git('commit', '-q', '-a', '-m', 'another way')
  n:command('Nodwyn land')
  n:await_screen('"README.md"')
  check('the checkout', w:read('README.md'), '# A project\n\nIt has no page.\n')
  check('commits', w:git('rev-list', '--count', 'HEAD'), '2\n')
  n:answer_by('1')
  n:await_told('this tab page works in ')
  w:git('revert', '--no-edit', 'HEAD')
  n:command('Nodwyn land')
  n:await_screen('Land on main')
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
