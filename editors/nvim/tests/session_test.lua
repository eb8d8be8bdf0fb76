local world = require('world')

-- The model asks again when a turn is continued: its first reply is on record as one that never ran.
local AGAIN = [[
call file-edit {"path": "README.md", "edits": [{"old": "It has a page.", "new": "It has a page.\nIt has two."}]}

]]
local EDIT = [[
call file-edit {"path": "README.md", "edits": [{"old": "It has a page.", "new": "It has a page.\nIt has two."}]}

say Done.
]]

local function asked(n)
  n:command('Nodwyn ask add a line')
  n:await_screen('+ It has two.')
  return n:session()
end

--- Opens the first session of the list once its title and state are these.
local function open_first(n, state)
  n:await(
    'the list',
    [[
    if vim.bo.filetype == 'nodwyn-list' then vim.cmd.close() end
    vim.cmd('Nodwyn sessions')
    vim.wait(300, function() return vim.bo.filetype == 'nodwyn-list' end, 10)
    return vim.bo.filetype == 'nodwyn-list' and vim.api.nvim_get_current_line():find(..., 1, true) ~= nil]],
    state
  )
  n:press('<CR>')
end

case('an editor that quits in a prompt leaves a session to take up', function()
  local w = world.new({ replies = AGAIN .. EDIT })
  local first = w:nvim('README.md')
  local id = asked(first)
  first:quit()
  local n = w:nvim('README.md')
  open_first(n, 'cut off')
  n:await_line('> add a line')
  n:await_line('the last turn was cut off')
  check('the session', n:session(), id)
  n:command('Nodwyn continue')
  n:await_screen('+ It has two.')
  n:command('Nodwyn answer')
  n:await_key('y')
  n:press('y')
  n:await_line('Done.')
  local asks = w:events(id, 'user.msg')
  check('what the second turn continues', { #asks, asks[2].continues }, { 2, 1 })
end)

case('an editor that is killed in a prompt leaves a session to take up', function()
  local w = world.new({ replies = EDIT .. '\nsay Gone on.\n' })
  local first = w:nvim('README.md')
  local id = asked(first)
  first:kill()
  local n = w:nvim('README.md')
  open_first(n, 'cut off')
  n:await_line('> add a line')
  n:command('Nodwyn ask and now')
  n:await_line('> and now')
  check('turns of the session', #w:events(id, 'user.msg'), 2)
  check('how the first ended', w:events(id, 'turn.end')[1].reason, 'editor_exit')
end)

case('a server that dies in a prompt is told, and the next request starts another', function()
  local w = world.new({ replies = EDIT .. '\nsay Gone on.\n' })
  local n = w:nvim('README.md')
  local id = asked(n)
  n:kill(n:server())
  n:await_told('the server ended')
  n:await('no prompt', [[return #require('nodwyn.prompts').open() == 0]])
  check(
    'marks left in the file',
    n:lua([[return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('README.md'), -1, 0, -1, {})]]),
    0
  )
  n:command('Nodwyn ask and now')
  n:await_line('> and now')
  check('the session', n:session(), id)
end)

case('a running turn is cancelled', function()
  local w = world.new({ replies = 'call shell-exec {"argv": ["sleep", "100"]}\n\nsay Done.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask wait')
  n:await_screen('$ sleep 100')
  n:command('Nodwyn answer allow_once')
  n:await_line('Allowed run of sleep 100')
  n:command('Nodwyn cancel')
  n:await_told('cancelled, and ended')
  n:await_line('(cancelled)')
end)

case('nothing to cancel is said', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:command('Nodwyn cancel')
  n:await_told('no session here yet')
  n:command('Nodwyn ask hello')
  n:await(
    'the end of the turn',
    [[local s = require('nodwyn.session').here(); return s and s.status == 'idle' and #s.cards > 1]]
  )
  n:command('Nodwyn cancel')
  n:await_told('no turn was running')
end)

case('a session window is found again and is closed by a key', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:command('Nodwyn ask hello')
  n:await_line('Nothing to do.')
  n:command('Nodwyn open')
  n:await('the focus', [[return vim.bo.filetype == 'nodwyn']])
  n:press('q')
  n:await('one window', [[return #vim.api.nvim_list_wins() == 1]])
  n:command('Nodwyn open')
  n:await_screen('Nothing to do.')
end)

case('a new session stands beside the first', function()
  local w = world.new({ replies = 'say One.\n\nsay Two.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask first')
  n:await_line('One.')
  local first = n:session()
  n:command('Nodwyn new ask')
  n:await('another session', [[return require('nodwyn.session').here().id ~= ...]], first)
  check('its mode', n:lua([[return require('nodwyn.session').here().state.mode]]), 'ask')
end)

case('a session is closed, and what has not landed is kept', function()
  local w = world.new({ replies = EDIT, config = '[guard]\nwrite = "session-worktree"\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask add a line')
  n:await_line('M README.md')
  n:await('the end of the turn', [[return require('nodwyn.session').here().status == 'idle']])
  n:command('Nodwyn close')
  n:await_told('kept for what has not landed: README.md')
end)

case('a request during a turn waits, and can be changed and dropped', function()
  local w = world.new({ replies = 'call shell-exec {"argv": ["true"]}\n\nsay One.\n\nsay Two.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask first')
  n:await_screen('$ true')
  n:command('Nodwyn ask second')
  n:command('Nodwyn ask third')
  n:command('Nodwyn queue')
  n:await_screen('third')
  n:press('j', 'D')
  n:await('one entry', [[return vim.api.nvim_buf_line_count(0) == 1]])
  n:press('k', '<CR>')
  n:await_screen(' Edit ')
  n:type(' thing')
  n:press('<CR>')
  n:await_screen('second thing')
  n:press('q')
  n:command('Nodwyn answer allow_once')
  n:await_line('> second thing')
  n:await_line('Two.')
  check('requests', #w:events(n:session(), 'user.msg'), 2)
end)

case('a running turn is steered', function()
  local w = world.new({ replies = 'call shell-exec {"argv": ["true"]}\n\nsay One.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask first')
  n:await_screen('$ true')
  n:command('Nodwyn steer and be brief')
  n:command('Nodwyn answer allow_once')
  n:await_line('One.')
  check('the log has it', vim.json.encode(w:events(n:session(), 'user.msg')):find('and be brief') ~= nil, true)
end)

case('the trail says what a turn did, with the output of a step', function()
  local w = world.new({ replies = 'call shell-exec {"argv": ["echo", "forty-two"]}\n\nsay One.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask first')
  n:await_screen('$ echo forty-two')
  n:command('Nodwyn answer allow_once')
  n:await_line('One.')
  n:command('Nodwyn trail')
  n:await('the list', [[return vim.bo.filetype == 'nodwyn-list']])
  n:await_screen('✓ ran echo forty-two')
  n:press('<CR>')
  n:await_screen('    forty-two')
end)

case('a session that only answers is told to do it', function()
  local w = world.new({ replies = 'say One.\n' })
  local n = w:nvim('README.md', { mode = 'ask' })
  n:command('Nodwyn ask first')
  n:await_line('One.')
  n:await('the end of the turn', [[return require('nodwyn.session').here().status == 'idle']])
  n:command('Nodwyn mode edit')
  n:await(
    'a worktree',
    [[local s = require('nodwyn.session').here(); return s.state.mode == 'edit' and s.state.worktree ~= nil]]
  )
  n:await_line('branch nodwyn/')
end)

case('the end of a turn that nobody looks at is told', function()
  local w = world.new({ replies = 'call shell-exec {"argv": ["true"]}\n\nsay Done.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask run it')
  n:await_screen('$ true')
  n:command('Nodwyn open')
  n:await('the focus', [[return vim.bo.filetype == 'nodwyn']])
  n:press('q')
  n:command('Nodwyn answer allow_once')
  n:await_told('nodwyn: turn 1 completed')
end)

case('the keys of the window are explained', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:command('Nodwyn ask hello')
  n:await_line('Nothing to do.')
  n:command('Nodwyn open')
  n:await('the focus', [[return vim.bo.filetype == 'nodwyn']])
  n:press('g?')
  n:await_screen("In a session's window:")
end)
