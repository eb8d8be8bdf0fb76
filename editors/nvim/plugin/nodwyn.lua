-- Nothing is loaded here: the command and the maps fetch what they need when they are used.
if vim.g.loaded_nodwyn then
  return
end
vim.g.loaded_nodwyn = true

vim.api.nvim_create_user_command('Nodwyn', function(args)
  require('nodwyn').run(args)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Ask the coding agent, and see and land what it did',
  complete = function(lead, line)
    return require('nodwyn').complete(lead, line)
  end,
})

for name, command in pairs({
  Ask = 'ask',
  Answer = 'answer',
  Open = 'open',
  Cancel = 'cancel',
  Diff = 'diff',
  Land = 'land',
  Sessions = 'sessions',
}) do
  vim.keymap.set('n', ('<Plug>(Nodwyn%s)'):format(name), ('<Cmd>Nodwyn %s<CR>'):format(command))
end
-- With the range that `:` puts before it, so that the selection goes along.
vim.keymap.set('x', '<Plug>(NodwynAsk)', ':Nodwyn ask<CR>', { silent = true })
