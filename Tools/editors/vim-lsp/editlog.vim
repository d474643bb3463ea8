" EditLog in Vim with vim-lsp: every file is sent to `editlog lsp`, beside the other servers.
augroup editlog
  autocmd!
  autocmd User lsp_setup call lsp#register_server({
  \ 'name': 'editlog',
  \ 'cmd': ['editlog', 'lsp'],
  \ 'allowlist': ['*'],
  \})
augroup END
