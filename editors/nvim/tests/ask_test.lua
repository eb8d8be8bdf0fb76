local world = require('world')

case('lines that are asked about go along', function()
  local w = world.new({ replies = 'say It is a title.\n' })
  local n = w:nvim('README.md')
  n:command('1,2Nodwyn ask what is this')
  n:await_line('It is a title.')
  check('the focus', n:lua([[return vim.fn.expand('%:t')]]), 'README.md')
  local attached = w:events(n:session(), 'attach')
  local own = vim.tbl_filter(function(one)
    return one.origin == 'person'
  end, attached)
  check('attachments', #own, 1)
  check('the selection', { own[1].type, own[1].path, own[1].text }, { 'selection', 'README.md', '# A project\n\n' })
  check('its range', own[1].range, { start_line = 1, start_column = 1, end_line = 3, end_column = 1 })
end)

case('a prompt is written in a float, over several lines', function()
  local w = world.new({ replies = 'say Fine.\n' })
  local n = w:nvim('README.md')
  n:command('2Nodwyn ask')
  n:await_screen('Ask about README.md:2-2')
  n:type('first')
  n:press('<C-j>')
  n:type('second')
  n:press('<CR>')
  n:await_line('Fine.')
  check('the request', w:events(n:session(), 'user.msg')[1].text, 'first\nsecond')
  check('the mode', n:lua([[return vim.api.nvim_get_mode().mode]]), 'n')
end)

case('a float that is left sends nothing', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:command('Nodwyn ask')
  n:await_screen('Enter sends')
  n:type('never mind')
  n:press('<Esc>', 'q')
  n:await('the float being gone', [[return #vim.api.nvim_list_wins() == 1]])
  check('sessions', n:session(), '')
  n:command('Nodwyn ask')
  n:await_screen('Enter sends')
  n:press('<CR>')
  n:await('the float being gone', [[return #vim.api.nvim_list_wins() == 1]])
  check('sessions after an empty text', n:session(), '')
end)

case('a second request goes to the same session', function()
  local w = world.new({ replies = 'say One.\n\nsay Two.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask first')
  n:await_line('One.')
  n:await_idle()
  n:command('Nodwyn ask second')
  n:await_line('Two.')
  n:await_idle()
  check('requests', #w:events(n:session(), 'user.msg'), 2)
  local lines = n:session_lines()
  check(
    'the cards',
    vim.list_slice(lines, 3),
    { '> first', '', 'One.', '', 'nothing written', '', '> second', '', 'Two.', '', 'nothing written', '', '' }
  )
end)

case('a reply is shown while it streams in, and gives way to its card', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:lua([[
    local session, s = require('nodwyn.session'), require('nodwyn.session').of('s1')
    require('nodwyn.buffer').show(s)
    session.on_status({ session = 's1', status = 'running', step = 1 })
    session.on_delta({ session = 's1', turn = 1, thinking = 'let me see' })]])
  check('thinking', n:session_lines(), { 'session s1', '', 'let me see' })
  n:lua([[local session = require('nodwyn.session')
    session.on_delta({ session = 's1', turn = 1, text = 'one\ntw' })
    session.on_delta({ session = 's1', turn = 1, text = 'o' })]])
  check('answer', n:session_lines(), { 'session s1', '', 'one', 'two' })
  n:lua([[require('nodwyn.session').on_delta({ session = 's1', turn = 1, attempt = 2, text = 'again' })]])
  check('a second attempt', n:session_lines(), { 'session s1', '', 'again' })
  n:lua(
    [[require('nodwyn.session').on_card({ session = 's1', revision = 5, card = { id = 'c1', kind = 'result', at = '', body = { text = 'All.' } } })]]
  )
  check('the card', n:session_lines(), { 'session s1', '', 'All.', '', '' })
  n:lua(
    [[require('nodwyn.session').on_card({ session = 's1', revision = 4, card = { id = 'c1', kind = 'result', at = '', body = { text = 'Old.' } } })]]
  )
  check('an older state of it', n:session_lines(), { 'session s1', '', 'All.', '', '' })
end)

case('without a word it leads to the first steps, and later to a request', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:command('Nodwyn')
  n:await_screen('FIRST QUARTER OF AN HOUR')
  n:command('helpclose')
  n:await('the file', [[return vim.fn.expand('%:t') == 'README.md']])
  n:command('Nodwyn ask hello')
  n:await_line('Nothing to do.')
  n:command('Nodwyn')
  n:await_screen('Enter sends')
end)

case('a request that no model could take is written again', function()
  local w = world.new({ config = false })
  local n = w:nvim('README.md')
  n:command('2Nodwyn ask')
  n:await_screen('Enter sends')
  n:type('this took me long')
  n:press('<CR>')
  n:await_told('no model is configured')
  n:await_told('Here that is `:Nodwyn setup`.')
  n:await('the float', [[return vim.bo.filetype == 'nodwyn-input']])
  check('the text', n:lua([[return vim.api.nvim_buf_get_lines(0, 0, -1, false)]]), { 'this took me long' })
  w:configure()
  n:press('<CR>')
  n:await_line('Nothing to do.')
  check('the selection', w:events(n:session(), 'attach')[1].path, 'README.md')
end)

case('a server that is not there is named', function()
  local w = world.new({})
  local n = w:nvim('README.md', { cmd = { 'no-such-nodwyn', 'serve' } })
  n:command('Nodwyn ask hello')
  n:await_told('cannot find "no-such-nodwyn"')
end)

case("the server's own words reach the person", function()
  local w = world.new({ config = '[guard]\nwrite = "maybe"\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask hello')
  n:await_told('guard.write')
end)

case('a word that is no command is answered with those that are', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:command('Nodwyn fly')
  n:await_told('there is no `:Nodwyn fly`: there is answer, ask, cancel')
  check('completion', n:lua([[return vim.fn.getcompletion('Nodwyn se', 'cmdline')]]), { 'sessions', 'setup' })
  check(
    'completion of modes',
    n:lua([[return vim.fn.getcompletion('Nodwyn new ', 'cmdline')]]),
    { 'ask', 'edit', 'plan' }
  )
end)

case('the status line says what the session does', function()
  local w = world.new({ replies = 'call shell-exec {"argv": ["hostid"]}\n\nsay Done.\n' })
  local n = w:nvim('README.md')
  check('before', n:lua([[return require('nodwyn').statusline()]]), '')
  n:command('Nodwyn ask run it')
  n:await('waiting', [[return require('nodwyn').statusline() == 'nodwyn: waits for your permission']])
  n:answer('hostid', 'deny')
  n:await('idle', [[return require('nodwyn').statusline() == 'nodwyn: idle']])
end)

case('the health check finds server, protocol and git', function()
  local w = world.new({})
  local n = w:nvim('README.md')
  n:lua([[vim.cmd('checkhealth nodwyn')]])
  local text = table.concat(n:lua([[return vim.api.nvim_buf_get_lines(0, 0, -1, false)]]), '\n')
  for _, want in ipairs({
    'OK Neovim 0.',
    'OK git version',
    'OK options',
    ' is nodwyn ',
    'OK protocol 1',
    'nodwyn doctor',
  }) do
    check(want, text:find(want, 1, true) ~= nil, true)
  end
  check('errors', text:find('ERROR', 1, true), nil)
end)
