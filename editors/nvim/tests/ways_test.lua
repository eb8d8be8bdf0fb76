local world = require('world')

local TEXT = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n'
local REPLIES = [[
call file-edit {"path": "count.txt", "edits": [{"old": "two", "new": "TWO"}, {"old": "eleven", "new": "ELEVEN"}]}

call file-write {"path": "more.txt", "content": "more\n"}

say Louder now.
]]
local WRITES = '[guard]\nwrite = "session-worktree"\n'

local function written(replies)
  local w = world.new({ replies = replies or REPLIES, config = WRITES, files = { ['count.txt'] = TEXT } })
  local n = w:nvim('count.txt')
  n:command('Nodwyn ask louder')
  n:await_line('A more.txt  +1 −0')
  n:await_idle()
  return w, n
end

local function diff(n)
  n:command('Nodwyn diff')
  n:await('the diff', [[return vim.bo.filetype == 'diff']])
end

--- Chooses a way from the list that the landing's float leads to.
local function choose(n, way)
  n:answer_by('w')
  n:await_list(way)
  n:type('/ ' .. way .. ' <CR>')
  n:press('<CR>')
end

case('a hunk that is marked lands, and the rest stays for later', function()
  local w, n = written()
  diff(n)
  n:press('gg', ']]', ']]', 'm')
  n:await_screen('1 hunk marked, L lands that')
  n:press('L')
  n:await_screen('only what was marked: 1 hunk')
  n:answer_by('y')
  n:await_told('landed 1 file on main as ')
  check('the checkout', w:read('count.txt'), (TEXT:gsub('eleven', 'ELEVEN')))
  n:await(
    'the rest of the diff',
    [[
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
    return text:find('+TWO', 1, true) and text:find('+more', 1, true) and not text:find('+ELEVEN', 1, true)]]
  )
  n:press('L')
  n:await_screen('A more.txt  +1 −0')
  n:answer_by('y')
  n:await_told('landed 2 files on main as ')
  check('the checkout', w:read('count.txt'), (TEXT:gsub('eleven', 'ELEVEN'):gsub('two', 'TWO')))
  n:await('an empty diff', [[return vim.api.nvim_get_current_line() == 'nothing is left that has not landed']])
end)

case('a file is left out by marking everything else', function()
  local w, n = written()
  diff(n)
  n:press('G', 'M', '!')
  n:await_screen('1 file marked, L lands that')
  n:press('L')
  n:await_screen('only what was marked: 1 file')
  n:answer_by('y')
  n:await_told('landed 1 file on main as ')
  check('the checkout', w:read('count.txt'), (TEXT:gsub('eleven', 'ELEVEN'):gsub('two', 'TWO')))
  check('what is tracked', w:git('ls-files'), 'count.txt\n')
end)

case('a mark is taken away by the same key', function()
  local _, n = written()
  diff(n)
  n:press('gg', 'm')
  n:await_screen('1 file marked')
  n:press(']]', 'm')
  n:await_screen('1 hunk marked')
  n:press(']]', 'm')
  n:await_screen('m marks a hunk to land, L lands everything')
end)

case('a patch leaves edits without a commit, and is taken back', function()
  local w, n = written()
  n:command('Nodwyn land')
  n:await_screen('Land on main (squash)')
  choose(n, 'patch')
  n:await_screen('Land as edits in ')
  n:answer_by('y')
  n:await_told('left 2 files as uncommitted edits in ')
  check('the checkout', w:git('status', '--porcelain'), ' M count.txt\n?? more.txt\n')
  check('commits', w:git('rev-list', '--count', 'HEAD'), '1\n')
  n:await('the buffer', [[return vim.fn.getbufline('count.txt', 2)[1] == 'TWO']])
  n:command('Nodwyn unland')
  n:answer_by('y')
  n:await_told('took the edits back')
  check('the checkout', w:git('status', '--porcelain'), '')
end)

case('a branch is named, and pushed on a permission', function()
  local w, n = written()
  w:git('init', '-q', '--bare', w.dir .. '/far.git')
  w:git('remote', 'add', 'origin', w.dir .. '/far.git')
  n:command('Nodwyn land')
  n:await_screen('Land on main (squash)')
  choose(n, 'branch')
  n:await_screen('Name of the branch:')
  n:type('louder')
  n:press('<CR>')
  n:await_screen('Land on louder (branch)')
  n:await_screen('pushed to origin (' .. w.dir:sub(1, 10))
  n:await_screen('no folder has the branch checked out')
  choose(n, 'rebase')
  n:await_screen('Land on main (rebase)')
  choose(n, 'branch')
  n:await_screen('Name of the branch:')
  n:type('louder')
  n:press('<CR>')
  n:await_screen('Land on louder (branch)')
  n:answer_by('y')
  n:answer('push', 'allow_once')
  n:await_told('landed 2 files on louder as ')
  n:await_told('and pushed it to origin')
  check('the remote', w:run({ 'git', 'show', 'louder:more.txt' }, w.dir .. '/far.git'), 'more\n')
  check('the checkout', w:git('status', '--porcelain', '-b'), '## main\n')
end)

case('the way and the branch can be said in the command', function()
  local w, n = written()
  check(
    'completion',
    n:lua([[return vim.fn.getcompletion('Nodwyn land --strategy=r', 'cmdline')]]),
    { '--strategy=rebase' }
  )
  n:command('Nodwyn land --strategy=branch --into=louder say it loud')
  n:await_screen('Land on louder (branch)')
  n:await_screen('say it loud')
  n:answer_by('y')
  n:await_told('not pushed: ')
  check('the message', w:git('log', '-1', '--format=%s', 'louder'), 'say it loud\n')
end)

case('a merge keeps the turns apart', function()
  local w, n = written(REPLIES .. '\ncall file-write {"path": "most.txt", "content": "most\\n"}\n\nsay Most.\n')
  n:command('Nodwyn ask and most')
  n:await_line('A most.txt  +1 −0')
  n:await_idle()
  n:command('Nodwyn land --strategy=merge')
  n:await_screen('Land on main (merge)')
  n:answer_by('y')
  n:await_told('landed 3 files on main as ')
  check('commits', w:git('log', '--topo-order', '--format=%p'):gsub('%x+', 'x'), 'x x\nx\nx\n\n')
end)
