-- The keys of a session's buffer. It holds nothing to edit, so that plain letters are free.
local function map(key, command, about)
  vim.keymap.set('n', key, command, { buffer = true, nowait = true, desc = 'nodwyn: ' .. about })
end

map('<CR>', '<Cmd>Nodwyn ask<CR>', 'ask')
map('i', '<Cmd>Nodwyn ask<CR>', 'ask')
map('a', '<Cmd>Nodwyn answer<CR>', 'go to what waits for an answer')
map('c', '<Cmd>Nodwyn cancel<CR>', 'cancel the turn')
map('C', '<Cmd>Nodwyn continue<CR>', 'take up the turn that was cut off')
map('D', '<Cmd>Nodwyn do<CR>', 'let a session that only reads do what it says')
map('t', '<Cmd>Nodwyn trail<CR>', 'show what the turn did')
map('d', '<Cmd>Nodwyn diff<CR>', 'show what changed')
map('L', '<Cmd>Nodwyn land<CR>', 'land')
map('s', '<Cmd>Nodwyn sessions<CR>', 'list the sessions')
map('q', '<Cmd>close<CR>', 'close the window')
map(']]', [[<Cmd>call search('^> ', 'W')<CR>]], 'next request')
map('[[', [[<Cmd>call search('^> ', 'bW')<CR>]], 'previous request')
map('g?', function()
  require('nodwyn.guide').open('nodwyn-keys')
end, 'help')

-- Answers are Markdown. Without its parser they are plain text, which is fine.
pcall(vim.treesitter.start, 0, 'markdown')
