" EditLog in Vim with ALE: every file is sent to `editlog lsp`, beside the other linters.

function! s:Add() abort
  let l:names = map(ale#linter#Get(&filetype), 'v:val.name')
  call ale#linter#Define(&filetype, {
  \ 'name': 'editlog',
  \ 'lsp': 'stdio',
  \ 'executable': 'editlog',
  \ 'command': '%e lsp',
  \ 'language': 'text',
  \ 'project_root': '/',
  \})
  let b:ale_linters = l:names + ['editlog']
endfunction

augroup editlog
  autocmd!
  autocmd FileType * if &buftype ==# '' && &filetype !=# '' | call s:Add() | endif
  " ALE does nothing in a file without a type.
  autocmd BufReadPost,BufNewFile * if &filetype ==# '' | setlocal filetype=text | endif
augroup END
