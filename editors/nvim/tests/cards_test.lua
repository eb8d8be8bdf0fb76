local cards = require('nodwyn.cards')

local function lines(kind, body)
  return cards.block({ id = 'c1', kind = kind, at = '', body = body }).lines
end

case('each kind of card has its lines', function()
  for _, c in ipairs({
    { 'ask', { text = 'one\ntwo' }, { '> one', '> two', '' } },
    { 'question', { text = 'Which?', choices = { 'a', 'b' } }, { '? Which?', '  a / b', '' } },
    { 'question', { text = 'Which?', choices = {} }, { '? Which?', '' } },
    { 'question', { text = 'Which?', choices = { 'a' }, answer = 'a' }, { '✓ Which?: a', '' } },
    {
      'permission',
      { action = 'Replace a.txt', diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+y\n' },
      { '? Replace a.txt', '  @@ -1 +1 @@', '  -x', '  +y', '' },
    },
    {
      'permission',
      { action = 'Run sh', argv = { 'sh', '-c', "echo 'a' b" } },
      { '? Run sh', [[  $ sh -c 'echo '\''a'\'' b']], '' },
    },
    { 'permission', { action = 'Run sh', decision = 'Allowed run of sh' }, { '✓ Allowed run of sh', '' } },
    { 'permission', { action = 'Run sh', decision = 'Denied run of sh' }, { '✗ Denied run of sh', '' } },
    { 'permission', { action = 'Run sh', decision = 'Expired run of sh' }, { '– Expired run of sh', '' } },
    { 'result', { text = 'Done.\nAll of it.' }, { 'Done.', 'All of it.', '' } },
    { 'result', { text = '', outcome = 'cancelled' }, { '(cancelled)', '' } },
    { 'proof', { wrote = {}, diffstat = {}, items = {}, failed = {} }, { 'nothing written', '' } },
    {
      'proof',
      {
        wrote = { 'a' },
        diffstat = { { path = 'a', status = 'M', insertions = 1, deletions = 2 } },
        items = {
          { name = 'test', kind = 'command', outcome = 'passed' },
          { name = 'lint', kind = 'command', outcome = 'failed' },
        },
        failed = { 'lint' },
      },
      { 'M a  +1 −2', '✓ test passed', '✗ lint failed', '' },
    },
  }) do
    check(c[1], lines(c[1], c[2]), c[3])
  end
end)

case('every kind of the protocol is drawn', function()
  local text = require('world').read(package.searchpath('nodwyn.protocol', package.path))
  local words = text:match('%-%-%-@alias nodwyn%.CardKind\n(.-)\n\n')
  local count = 0
  for kind in words:gmatch('"(%a+)"') do
    local ok, drawn = pcall(lines, kind, { text = '', choices = {}, action = '', diffstat = {}, items = {} })
    check(kind, ok and drawn[1]:find('too old') == nil, true)
    count = count + 1
  end
  check('kinds were found', count > 0, true)
end)

case('a card of a later protocol says so', function()
  check('lines', lines('hologram', {}), { 'a card of the kind "hologram", which this plugin is too old to draw', '' })
end)

case('a removed line that looks like a file name stays', function()
  local got = vim.tbl_map(function(line)
    return line.text
  end, cards.diff_lines('--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+++ new\n'))
  check('lines', got, { '@@ -1 +1 @@', '--- old', '+++ new' })
end)

case('a block is found where its lines are', function()
  local hunks = require('nodwyn.hunks')
  local hunk = hunks.parse('--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@\n b\n-c\n+d\n+e\n\\ No newline at end of file\n')[1]
  check('lines', hunk, { first = 3, lines = { ' b', '-c', '+d', '+e' } })
  for name, c in pairs({
    ['where it says'] = { { 'x', 'a', 'b', 'c' }, 2 },
    ['further down'] = { { '1', '2', '3', '4', '5', 'b', 'c' }, 5 },
    ['further up'] = { { 'b', 'c', 'z' }, 0 },
    ['the nearest of two'] = { { 'b', 'c', '', '', '', '', 'b', 'c' }, 0 },
    ['nowhere'] = { { 'x', 'b', 'y' }, nil },
    ['in an empty file'] = { {}, nil },
  }) do
    check(name, { hunks.find(c[1], hunk) }, { c[2] })
  end
end)

case('each line of a diff knows its file, its hunk and its line', function()
  local spell = require('nodwyn.spell')
  local hunk = { id = 'h', header = '@@ -5,3 +7,3 @@', text = ' one\n-two\n+three\n four\n' }
  local lines, rows = spell.lines({
    { path = 'x', status = 'M', binary = false, hunks = { hunk } },
    { path = 'b', oldPath = 'a', status = 'R', binary = false },
    { path = 'p', status = 'A', binary = true },
  })
  check('lines', lines, {
    'diff --git a/x b/x',
    '--- a/x',
    '+++ b/x',
    '@@ -5,3 +7,3 @@',
    ' one',
    '-two',
    '+three',
    ' four',
    'diff --git a/a b/b',
    'rename from a',
    'rename to b',
    'diff --git a/p b/p',
    'Binary files differ',
  })
  for row, want in pairs({
    [1] = { 'x', nil, 1 },
    [4] = { 'x', 'h', 7 },
    [5] = { 'x', 'h', 7 },
    [6] = { 'x', 'h', 8 },
    [7] = { 'x', 'h', 8 },
    [8] = { 'x', 'h', 9 },
    [9] = { 'b', nil, 1 },
    [13] = { 'p', nil, 1 },
  }) do
    local at = rows[row]
    check('row ' .. row, { at.file.path, at.hunk and at.hunk.id, spell.line(rows, row) }, want)
  end
  check(
    'heads',
    vim.tbl_map(function(at)
      return at.head
    end, rows),
    { true, false, false, false, false, false, false, false, true, false, false, true, false }
  )
end)

case('counts and lists read as sentences do', function()
  local words = require('nodwyn.words')
  check('one', { words.own(1, 0) }, { '1 changed file of yours', true })
  check('a new one', { words.own(0, 1) }, { '1 new file of yours', true })
  check('some', { words.own(3, 1) }, { '3 changed and 1 new file of yours', false })
  check('none of one kind', { words.own(0, 2) }, { '2 new files of yours', false })
  check('a list', words.list({ 'a', 'b', 'c' }), 'a, b and c')
  check(
    'lines',
    words.lines({ { first = 3, count = 1 }, { first = 7, count = 4 }, { first = 9, count = 0 } }),
    '3, 7-10, 9'
  )
end)

case('marks say what a landing takes', function()
  local pick = require('nodwyn.pick')
  local files = {
    { path = 'x', hunks = { { id = 'one' }, { id = 'two' } } },
    { path = 'y', hunks = { { id = 'three' } } },
    { path = 'z' },
  }
  local marks = {}
  check('nothing marked', pick.landing(marks, files), {})
  pick.toggle(marks, pick.names(files[1], files[1].hunks[2]))
  pick.toggle(marks, pick.names(files[2]))
  check('a hunk and a file', pick.landing(marks, files), { paths = { 'y' }, hunks = { 'two' } })
  pick.invert(marks, files)
  check('everything else', pick.landing(marks, files), { paths = { 'z' }, hunks = { 'one' } })
  pick.toggle(marks, pick.names(files[1]))
  check('all of a file', pick.landing(marks, files), { paths = { 'x', 'z' } })
  check('in words', pick.count(marks, files), '2 files')
  check('marks of what is gone', { pick.landing(marks, { files[2] }), pick.count(marks, { files[2] }) }, { {}, '' })
end)

case('wrong options are named and their defaults stand', function()
  local config = require('nodwyn.config')
  vim.g.nodwyn = { arm_ms = 'long', size = 3, colour = 'red', keys = { deny = 'x', jump = 'j' }, position = 'left' }
  check('problems', config.problems(), {
    'arm_ms: a number is wanted, not a string',
    'colour: there is no such option',
    'keys.jump: there is no such option',
    'size: a number from 0.1 to 0.9 is wanted, not 3',
  })
  local told = {}
  local notify = vim.notify
  vim.notify = function(text)
    table.insert(told, text)
  end
  local got = config.current()
  config.current()
  vim.notify = notify
  check('said once', #told, 1)
  check(
    'options',
    { got.arm_ms, got.size, got.position, got.keys.deny, got.keys.allow_once },
    { 500, 0.4, 'left', 'x', 'y' }
  )
  vim.g.nodwyn = nil
  config.set({ position = 'below' })
  check('setup() wins', config.current().position, 'below')
  config.set()
end)
