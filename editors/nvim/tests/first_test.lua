local world = require('world')

-- The whole first session, counted as issue and README promise it: a keystroke is a key pressed, typed text aside.
case('the first session takes at most twelve keystrokes', function()
  local w = world.new({
    config = false,
    files = {
      ['greet.sh'] = '#!/bin/sh\n# Greets whom it is given.\necho "Hello, $1!"\n',
      ['check.sh'] = 'sh greet.sh | grep -q world\n',
      ['.nodwyn/closeout.toml'] = '[[item]]\nname = "check"\nkind = "command"\nrun = ["sh", "check.sh"]\n',
    },
    replies = [[
say I will look at the script first.
call file-read {"path": "greet.sh"}

call file-edit {"path": "greet.sh", "edits": [{"old": "$1", "new": "${1:-world}"}]}

say It greets the world when nobody is named.
]],
  })
  w:write('notes.txt', 'not committed\n')
  local n = w:nvim('greet.sh')
  n:command('Nodwyn setup --api script --server rehearsal --url ' .. w.replies)
  n:await_screen('wrote ')
  n:await_screen('[Process exited 0]')
  n:press('<CR>')
  n:await('the file', [[return #vim.api.nvim_list_wins() == 1]])
  n:command('Nodwyn ask greet the world when nobody is named')
  n:await_screen('+ echo "Hello, ${1:-world}!"')
  n:press('G')
  n:await_key('y')
  n:press('y')
  n:await_screen('name = "check"')
  n:command('Nodwyn answer trust')
  n:await_line('✓ check passed')
  check('the checkout', w:git('status', '--porcelain'), '?? notes.txt\n')
  n:await('the end of the turn', [[return require('nodwyn.session').here().status == 'idle']])
  n:command('Nodwyn land')
  n:await_key('y')
  n:press('y')
  n:await_told('landed 1 file on main')
  check('what landed', w:read('greet.sh'), '#!/bin/sh\n# Greets whom it is given.\necho "Hello, ${1:-world}!"\n')
  check('uncommitted work', w:git('status', '--porcelain'), '?? notes.txt\n')
  check('keystrokes', n.pressed, 12)
end)
