local world = require('world')

local TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n'
local REPLIES = [[
call file-edit {"path": "count.txt", "edits": [{"old": "two", "new": "TWO"}, {"old": "eleven", "new": "ELEVEN"}]}

say Louder now.

call file-write {"path": "more.txt", "content": "more\n"}

say More.
]]
local WRITES = '[guard]\nwrite = "session-worktree"\n'

local function written(turns)
  local w = world.new({ replies = REPLIES, config = WRITES, files = { ['count.txt'] = TEXT } })
  local n = w:nvim('count.txt')
  n:command('Nodwyn ask louder')
  n:await_line('M count.txt  +2 −2')
  n:await_idle()
  if turns == 2 then
    n:command('Nodwyn ask and more')
    n:await_line('A more.txt  +1 −0')
    n:await_idle()
  end
  return w, n
end

--- The text of a file of the session's tree.
local function tree(n, name)
  local path = n:lua([[return require('nodwyn.session').here().state.repo]]) .. '/' .. name
  return vim.uv.fs_stat(path) and world.read(path) or ''
end

local function diff(n)
  n:command('Nodwyn diff')
  n:await('the diff', [[return vim.bo.filetype == 'diff']])
end

case('the hunk under the cursor is taken back and brought back', function()
  local _, n = written(1)
  diff(n)
  n:press('gg', ']]', ']]', 'r')
  n:await_screen('1 This hunk')
  n:answer_by('1')
  n:await_told('took back a hunk; `:Nodwyn revert undo` brings it back')
  check('the tree', tree(n, 'count.txt'), (TEXT:gsub('two', 'TWO')))
  n:await(
    'the diff without it',
    [[
    return not table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('ELEVEN', 1, true)]]
  )
  n:press('u')
  n:await_told('brought back 1 file')
  check('the tree', tree(n, 'count.txt'), (TEXT:gsub('two', 'TWO'):gsub('eleven', 'ELEVEN')))
  n:await(
    'the diff with it',
    [[
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('ELEVEN', 1, true) ~= nil]]
  )
end)

case('a file is taken back on its word, and its open buffer with it', function()
  local _, n = written(2)
  n:command('Nodwyn worktree')
  n:await_told('this tab page works in ')
  n:await('the file of the tree', [[return vim.fn.getline(2) == 'TWO']])
  n:command('Nodwyn revert file count.txt')
  n:await_screen('Take back count.txt')
  check('nothing moved', tree(n, 'count.txt'):find('TWO', 1, true) ~= nil, true)
  n:answer_by('y')
  n:await_told('took back 1 file')
  check('the trees files', { tree(n, 'count.txt'), tree(n, 'more.txt') }, { TEXT, 'more\n' })
  n:await('the buffer', [[return vim.fn.getline(2) == 'two']])
end)

case('everything is shown before it is taken back', function()
  local _, n = written(2)
  n:command('Nodwyn revert')
  n:await_screen('Take everything back')
  n:await_screen('A more.txt  +1 −0')
  n:answer_by('n')
  check('the tree', tree(n, 'more.txt'), 'more\n')
  n:command('Nodwyn revert all')
  n:answer_by('y')
  n:await_told('took back 2 files; `:Nodwyn revert undo` brings them back')
  check('the trees files', { tree(n, 'count.txt'), tree(n, 'more.txt') }, { TEXT, '' })
end)

case('a turn is chosen by its request, and goes with files and talk', function()
  local w, n = written(2)
  n:command('Nodwyn revert turn')
  n:await_list('2  and more')
  n:press('q')
  n:command('Nodwyn revert turn 1 both')
  n:await_screen('Go back to the end of turn 1')
  n:await_screen('turn 2: the model will not see what was said there')
  n:answer_by('y')
  n:await_told('took back 1 file and 1 turn')
  check('the tree', tree(n, 'more.txt'), '')
  local reverts = w:events(n:session(), 'session.revert')
  check('on record', { #reverts, reverts[1].what, reverts[1].to_turn }, { 1, 'both', 1 })
  n:command('Nodwyn revert undo')
  n:await_told('brought back 1 file and 1 turn')
  check('the tree', tree(n, 'more.txt'), 'more\n')
end)

case("a person's own edit in the tree is in the way, and named", function()
  local _, n = written(1)
  local path = n:lua([[return require('nodwyn.session').here().state.repo]]) .. '/count.txt'
  local file = assert(io.open(path, 'w'))
  file:write((TEXT:gsub('two', 'mine')))
  file:close()
  n:command('Nodwyn revert turn 0')
  n:await_screen('it was edited since')
  n:answer_by('1')
  n:await('the list', [[return vim.bo.buftype == 'quickfix']])
  check('the tree', tree(n, 'count.txt'), (TEXT:gsub('two', 'mine')))
end)

case('what makes no sense is answered with what does', function()
  local _, n = written(1)
  n:command('Nodwyn revert hunk')
  n:await_told('`:Nodwyn revert hunk`: there is hunk and file, where the cursor is on one in the diff')
  n:command('Nodwyn revert turn 1 all')
  n:await_told('a number and then files, chat or both')
  check('completion', n:lua([[return vim.fn.getcompletion('Nodwyn revert turn 1 ', 'cmdline')]]), {
    'both',
    'chat',
    'files',
  })
end)
