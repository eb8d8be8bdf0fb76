local world = require('world')

local EDIT = [[
call file-edit {"path": "README.md", "edits": [{"old": "It has a page.", "new": "It has two pages."}]}

say Two pages now.

]]
local RESOLVE = [[
call file-write {"path": "README.md", "content": "# A project\n\nIt has no page, or two.\n"}

say Both are in it.
]]
local WRITES = '[guard]\nwrite = "session-worktree"\n'

--- Makes a session and a branch that changed the same line.
local function met()
  local w = world.new({ replies = EDIT .. RESOLVE, config = WRITES })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask make it two pages')
  n:await_line('M README.md  +1 −1')
  n:await_idle()
  w:write('README.md', '# A project\n\nIt has no page.\n')
  w:git('commit', '-q', '-a', '-m', 'another way')
  return w, n
end

local function places(n)
  return n:lua([[
    return vim.tbl_map(function(item)
      return { vim.fn.bufname(item.bufnr), item.lnum, item.text }
    end, vim.fn.getqflist())]])
end

case('a landing that meets another change names the lines, and the list leads there', function()
  local w, n = met()
  n:command('Nodwyn land')
  n:await_screen('Nothing landed')
  n:await_screen('README.md:3  both changed it here')
  check('the checkout', w:read('README.md'), '# A project\n\nIt has no page.\n')
  check('commits', w:git('rev-list', '--count', 'HEAD'), '2\n')
  check('the list', places(n), { { 'README.md', 3, 'both changed it here' } })
  n:answer_by('3')
  n:await('the list being open', [[return vim.bo.buftype == 'quickfix']])
end)

case('the agent resolves what both changed, and the result lands', function()
  local w, n = met()
  n:command('Nodwyn land')
  n:await_screen('Nothing landed')
  n:answer_by('1')
  n:await_line('Both are in it.')
  n:await_idle()
  local asks = w:events(n:session(), 'user.msg')
  check('what it was asked names the file', asks[2].text:find('README.md', 1, true) ~= nil, true)
  n:command('Nodwyn land')
  n:answer_by('y')
  n:await_told('landed 1 file on main')
  check('the checkout', w:read('README.md'), '# A project\n\nIt has no page, or two.\n')
end)

case('a sync leaves markers to resolve by hand, which the list finds, and is taken back', function()
  local _, n = met()
  n:command('Nodwyn land')
  n:await_screen('Nothing landed')
  n:answer_by('2')
  n:await_screen('Synced, with something left to resolve')
  local list = places(n)
  check('the list', { #list, list[1][2], list[1][3] }, { 1, 3, 'both changed it here' })
  check("the list leads into the session's tree", list[1][1]:find('worktrees', 1, true) ~= nil, true)
  n:press('q')
  n:command('Nodwyn land')
  n:await_screen('it still has conflict markers')
  n:await_screen('1 Let the agent resolve it')
  check('the list', places(n), { { list[1][1], 3, 'it still has conflict markers' } })
  n:press('q')
  n:command('Nodwyn sync undo')
  n:await_told('the last sync is taken back')
  n:command('Nodwyn diff')
  n:await('the diff', [[return vim.bo.filetype == 'diff']])
  check('its last lines', n:lua([[return vim.api.nvim_buf_get_lines(0, -3, -1, false)]]), {
    '-It has a page.',
    '+It has two pages.',
  })
end)

case('a sync that meets nothing any more goes on to the landing that it was for', function()
  local w, n = met()
  n:command('Nodwyn land')
  n:await_screen('Nothing landed')
  w:git('reset', '-q', '--hard', 'HEAD~1')
  w:write('other.txt', 'other\n')
  w:git('add', '-A')
  w:git('commit', '-q', '-m', 'another file instead')
  n:answer_by('2')
  n:await_screen('Land on main')
  n:answer_by('y')
  n:await_told('landed 1 file on main')
end)

case('what another commit brought comes in by a sync', function()
  local w = world.new({ replies = EDIT, config = WRITES })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask make it two pages')
  n:await_line('M README.md  +1 −1')
  n:await_idle()
  w:write('other.txt', 'other\n')
  w:git('add', '-A')
  w:git('commit', '-q', '-m', 'another file')
  n:command('Nodwyn sync main')
  n:await_told('1 file came in from main; `:Nodwyn sync undo` takes that back')
  check('in the tree', n:lua([[return vim.fn.readfile(require('nodwyn.session').here().state.repo .. '/other.txt')]]), {
    'other',
  })
  n:command('Nodwyn land')
  n:answer_by('y')
  n:await_told('landed 1 file on main')
end)

case('what a person has not committed is named, and no sync is offered for it', function()
  local w, n = met()
  w:git('reset', '-q', '--soft', 'HEAD~1')
  n:command('Nodwyn land')
  n:await_screen('README.md:3  you have uncommitted changes in it')
  check('a sync', n:screen():find('Sync', 1, true), nil)
  check('the list', places(n)[1][1], 'README.md')
  w:git('stash', '-q')
  n:answer_by('y')
  n:await_screen('Land on main')
  n:answer_by('n')
end)
