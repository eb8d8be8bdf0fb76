local world = require('world')
local model = require('model')

local FILES = {
  ['greet.sh'] = '#!/bin/sh\n# Greets whom it is given.\necho "Hello, $1!"\n',
  ['check.sh'] = 'sh greet.sh | grep -qi world\n',
  ['.nodwyn/closeout.toml'] = '[[item]]\nname = "check"\nkind = "command"\nrun = ["sh", "check.sh"]\n',
}

local function edit(old, new)
  return { 'file-edit', { path = 'greet.sh', edits = { { old = old, new = new } } } }
end

local LOUDER = edit('Hello', 'HELLO')
local REPLIES = {
  { text = 'I will look at the script first.', call = { 'file-read', { path = 'greet.sh' } } },
  { call = edit('$1', '${1:-world}') },
  { text = 'It greets the world when nobody is named.' },
  { call = LOUDER },
  -- The editor goes away in the prompt about that change, so the model asks for it again.
  { call = LOUDER },
  { text = 'It is louder now.' },
}

--- Makes a key that stands in no file of ours.
local function new_key()
  return 'box-' .. vim.fn.sha256(vim.fn.tempname()):sub(1, 32)
end

--- Says which files of the world hold a text.
local function holding(w, text)
  return vim.tbl_map(vim.fs.basename, vim.split(w:run({ 'grep', '-rlF', text, w.dir }), '\n', { trimempty = true }))
end

--- Says whether the process was given the text.
local function given(pid, text)
  return (world.read(('/proc/%d/environ'):format(pid)) .. world.read(('/proc/%d/cmdline'):format(pid))):find(
    text,
    1,
    true
  ) ~= nil
end

local function set_up(n, m)
  n:command(('Nodwyn setup --server box --api openai --url %s --model small-1 --credential box'):format(m.url))
  n:await_screen('Key for "box" (not shown):')
  n:type(m.key)
  check('the key on the screen', n:screen():find(m.key, 1, true), nil)
  n:press('<CR>')
  n:await_told('stored the key "box", in the file')
  n:await_told('a model is set up')
  check('windows left of set-up', n:lua([[return #vim.api.nvim_list_wins()]]), 1)
end

local function ask_and_land(n, w)
  n:command('2,3Nodwyn ask greet the world when nobody is named')
  n:await_screen('+ echo "Hello, ${1:-world}!"')
  n:answer_by('y')
  n:answer('name = "check"', 'trust')
  n:await_line('✓ check passed')
  check('the checkout', w:git('status', '--porcelain'), '?? notes.txt\n')
  n:await_idle()
  n:command('Nodwyn land')
  n:answer_by('y')
  n:await_told('landed 1 file on main')
end

-- From an empty home to the first landing and on: a keystroke is a key pressed, typed text aside.
case('the first session takes at most twelve keystrokes, and goes on after Neovim was closed in a prompt', function()
  local w = world.new({ config = false, files = FILES })
  w:write('notes.txt', 'not committed\n')
  local m = model.start(new_key(), REPLIES)
  local n = w:nvim('greet.sh')
  set_up(n, m)
  ask_and_land(n, w)
  check('keystrokes until the landing', n.pressed, 11)
  check('what landed', w:read('greet.sh'), '#!/bin/sh\n# Greets whom it is given.\necho "Hello, ${1:-world}!"\n')
  check('uncommitted work', w:git('status', '--porcelain'), '?? notes.txt\n')
  check('the server was given the key', given(n:server(), m.key), false)

  n:command('Nodwyn ask and louder')
  n:await_screen('+ echo "HELLO, ${1:-world}!"')
  local id = n:session()
  n:quit()
  local again = w:nvim('greet.sh')
  again:command('Nodwyn')
  again:await_line('the last turn was cut off: C takes it up')
  again:press('C')
  again:await_prompt('HELLO')
  again:command('Nodwyn answer')
  again:answer_by('y')
  again:await_line('It is louder now.')
  again:await_idle()
  check('keystrokes to go on', again.pressed, 6)
  check('the session', again:session(), id)
  local asks = w:events(id, 'user.msg')
  check('what the last turn continues', { #asks, asks[3].continues }, { 3, 2 })
  again:command('Nodwyn land')
  again:answer_by('y')
  again:await_told('landed 1 file on main')
  check('what landed', w:read('greet.sh'):find('HELLO', 1, true) ~= nil, true)

  check('replies left, requests without the key', { #m.replies, m.refused }, { 0, 0 })
  check('files with the key', holding(w, m.key), { 'credentials.json' })
  m.stop()
end)
