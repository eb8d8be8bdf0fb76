local world = require('world')

local EDIT = [[
call file-edit {"path": "README.md", "edits": [{"old": "It has a page.", "new": "It has a page.\nIt has two."}]}

say Done.
]]

local function asked(o, options)
  local w = world.new(vim.tbl_extend('keep', o or {}, { replies = EDIT }))
  local n = w:nvim('README.md', options)
  n:command('Nodwyn ask add a line')
  return w, n
end

case('a change is shown at its place and allowed by a key', function()
  local w, n = asked()
  n:await_screen('+ It has two.')
  n:press('j', 'j')
  n:answer_by('y')
  n:await_line('Allowed replace of README.md')
  n:await_line('Done.')
  check('the checkout', w:read('README.md'), '# A project\n\nIt has a page.\n')
  check(
    'marks left in the file',
    n:lua([[return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('README.md'), -1, 0, -1, {})]]),
    0
  )
  check('keys left in the file', n:lua([[return vim.fn.maparg('y', 'n')]]), '')
end)

case('a change is denied by a key', function()
  local _, n = asked()
  n:await_screen('+ It has two.')
  n:press('j', 'j')
  n:answer_by('n')
  n:await_line('✗ Denied replace of README.md')
end)

case("the keys are the person's own until the cursor has rested", function()
  local _, n = asked(nil, { arm_ms = 600000 })
  n:await_screen('+ It has two.')
  n:press('j', 'j')
  n:rest()
  n:press('y', 'y')
  check('what was yanked', n:lua([[return vim.fn.getreg('"')]]), 'It has a page.\n')
  check('prompts', n:lua([[return #require('nodwyn.prompts').open()]]), 1)
end)

case('the keys work on the lines of the change only', function()
  local _, n = asked({ files = { ['README.md'] = '# A project\n\nIt has a page.\n' .. ('more\n'):rep(20) } })
  n:await_screen('+ It has two.')
  n:press('j', 'j')
  n:await_key('y')
  n:press('G')
  n:rest()
  check('the key', n:lua([[return vim.fn.maparg('y', 'n')]]), '')
end)

case("a map of the person's comes back", function()
  local w = world.new({ replies = EDIT })
  local n = w:nvim('README.md')
  n:lua([[vim.keymap.set('n', 'y', '<Cmd>let g:mine = 1<CR>', { buffer = true })]])
  n:command('Nodwyn ask add a line')
  n:await_screen('+ It has two.')
  n:press('j', 'j')
  n:answer_by('y')
  n:await_line('Allowed replace')
  n:press('y')
  n:await('the own map', [[return vim.g.mine == 1]])
end)

case('a file that nobody looks at is asked about in a float, and shown on request', function()
  local w = world.new({
    replies = EDIT,
    files = { ['README.md'] = '# A project\n\nIt has a page.\n', ['other.txt'] = 'other\n' },
  })
  local n = w:nvim('other.txt')
  n:command('Nodwyn ask add a line')
  n:await_screen('╭ Replace README.md')
  check('the file in view', n:lua([[return vim.fn.expand('%:t')]]), 'other.txt')
  n:command('Nodwyn answer')
  n:await('the file', [[return vim.fn.expand('%:t') == 'README.md']])
  n:await_screen('Replace README.md?')
  n:answer_by('y')
  n:await_line('Allowed replace of README.md')
end)

case('a new file and a command are asked about in a float that does not take the focus', function()
  local w = world.new({
    replies = 'call file-write {"path": "new.txt", "content": "one\\n"}\n\ncall shell-exec {"argv": ["sh", "-c", "echo a b"]}\n\nsay Done.\n',
  })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask make it')
  n:await_prompt('+one')
  n:await_screen('+one')
  check('the focus', n:lua([[return vim.fn.expand('%:t')]]), 'README.md')
  n:press('y', 'y')
  check('prompts', n:lua([[return #require('nodwyn.prompts').open()]]), 1)
  n:command('Nodwyn answer')
  n:answer_by('y')
  n:await_prompt([[$ sh -c 'echo a b']])
  check('the focus', n:lua([[return vim.fn.expand('%:t')]]), 'README.md')
  n:command('Nodwyn answer')
  n:answer_by('y')
  n:await_line('Done.')
  check(
    'floats left',
    n:lua(
      [[return #vim.tbl_filter(function(win) return vim.api.nvim_win_get_config(win).relative ~= '' end, vim.api.nvim_list_wins())]]
    ),
    0
  )
end)

case('a denial goes with words', function()
  local w, n = asked()
  n:await_screen('+ It has two.')
  n:press('j', 'j')
  n:answer_by('N')
  n:type('not this file')
  n:press('<CR>')
  n:await_line('Denied replace')
  n:await_line('Done.')
  local results = vim.json.encode(w:events(n:session(), 'tool.result'))
  check('the model reads it', results:find('not this file', 1, true) ~= nil, true)
end)

case('a prompt that is withdrawn closes', function()
  local _, n = asked()
  n:await_screen('+ It has two.')
  n:command('Nodwyn cancel')
  n:await('no prompt', [[return #require('nodwyn.prompts').open() == 0]])
  n:await_line('(cancelled)')
  check(
    'marks left in the file',
    n:lua([[return #vim.api.nvim_buf_get_extmarks(vim.fn.bufnr('README.md'), -1, 0, -1, {})]]),
    0
  )
end)

case('a float that was closed by hand opens again', function()
  local w = world.new({ replies = 'call shell-exec {"argv": ["hostid"]}\n\nsay Done.\n' })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask run it')
  n:await_prompt('$ hostid')
  n:command('Nodwyn answer')
  n:command('quit')
  n:command('Nodwyn answer')
  n:answer_by('y')
  n:await_line('Allowed run of hostid')
end)

case('an answer can be given as a command', function()
  local _, n = asked()
  n:await_screen('+ It has two.')
  n:answer('+It has two.', 'allow_once')
  n:await_line('Allowed replace of README.md')
end)

case('a checkout that moved on shows the change as text', function()
  local w = world.new({ replies = EDIT })
  w:write('README.md', '# Another project\n\nIt has nothing.\n')
  local n = w:nvim('README.md')
  n:command('Nodwyn ask add a line')
  n:await_screen('your file differs here')
  n:await_screen('+It has two.')
  check(
    'the text of the buffer',
    n:lua([[return vim.api.nvim_buf_get_lines(0, 0, -1, false)]]),
    { '# Another project', '', 'It has nothing.' }
  )
end)

case('a change above the first line is in view', function()
  local w = world.new({
    replies = 'call file-edit {"path": "README.md", "edits": [{"old": "# A project", "new": "<!-- top -->\\n# A project"}]}\n\nsay Done.\n',
  })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask put a comment on top')
  n:await('a prompt', [[return #require('nodwyn.prompts').open() == 1]])
  n:command('Nodwyn answer')
  n:await_screen('+ <!-- top -->')
end)

case('a text that does not fit stands below the keys', function()
  local text = ('line\\n'):rep(60)
  local w =
    world.new({ replies = ('call file-write {"path": "new.txt", "content": "%s"}\n\nsay Done.\n'):format(text) })
  local n = w:nvim('README.md')
  n:command('Nodwyn ask make it')
  n:await_screen('61 lines, which stand below the keys')
  n:await_screen('y Allow once')
  n:await_screen('+line')
end)

case('a file that was closed is opened again', function()
  local _, n = asked({ files = { ['README.md'] = '# A project\n\nIt has a page.\n', ['other.txt'] = 'other\n' } })
  n:await_screen('+ It has two.')
  n:command('edit other.txt')
  n:command('bdelete README.md')
  n:command('Nodwyn answer')
  n:await_screen('+ It has two.')
  n:answer_by('y')
  n:await_line('Allowed replace of README.md')
end)

case('the keys follow their lines', function()
  local _, n = asked()
  n:await_screen('+ It has two.')
  n:press('O')
  n:type('new first line')
  n:press('<Esc>', 'G')
  n:await_key('y')
  n:press('k', 'k', 'k')
  n:rest()
  check('the key on the new line', n:lua([[return vim.fn.maparg('y', 'n')]]), '')
end)
