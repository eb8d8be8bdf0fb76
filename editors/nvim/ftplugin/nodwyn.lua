-- The keys of a session's buffer. It holds nothing to edit, so that plain letters are free.
local function map(key, command, about)
  vim.keymap.set('n', key, command, { buffer = true, nowait = true, desc = 'nodwyn: ' .. about })
end

map('<CR>', '<Cmd>Nodwyn ask<CR>', 'ask')
map('i', '<Cmd>Nodwyn ask<CR>', 'ask')
map('a', '<Cmd>Nodwyn answer<CR>', 'go to what waits for an answer')
map('c', '<Cmd>Nodwyn cancel<CR>', 'cancel the turn')
map('d', '<Cmd>Nodwyn diff<CR>', 'show what changed')
map('L', '<Cmd>Nodwyn land<CR>', 'land')
map('s', '<Cmd>Nodwyn sessions<CR>', 'list the sessions')
map('q', '<Cmd>close<CR>', 'close the window')
map(']]', [[<Cmd>call search('^> ', 'W')<CR>]], 'next request')
map('[[', [[<Cmd>call search('^> ', 'bW')<CR>]], 'previous request')
map('g?', function()
  -- Where nobody has run :helptags the page is there all the same.
  if not pcall(vim.cmd.help, 'nodwyn-keys') then
    local page = vim.api.nvim_get_runtime_file('doc/nodwyn.txt', false)[1]
    vim.cmd([[sview +/\*nodwyn-keys\* ]] .. vim.fn.fnameescape(page))
  end
end, 'help')

-- Answers are Markdown. Without its parser they are plain text, which is fine.
pcall(vim.treesitter.start, 0, 'markdown')
