-- The highlight groups, each linked to one that every colour scheme has.
for group, link in pairs({
  NodwynAdded = 'DiffAdd',
  NodwynRemoved = 'DiffDelete',
  NodwynHunk = 'Identifier',
  NodwynContext = 'Comment',
  NodwynCommand = 'String',
  NodwynAsk = 'Title',
  NodwynWaiting = 'WarningMsg',
  NodwynAllowed = 'DiagnosticOk',
  NodwynDenied = 'DiagnosticError',
  NodwynPreview = 'Normal',
  NodwynThinking = 'Comment',
  NodwynKey = 'IncSearch',
}) do
  vim.api.nvim_set_hl(0, group, { default = true, link = link })
end
