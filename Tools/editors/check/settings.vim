" Settings that keep Vim and Neovim from asking and from changing what is typed.
set nocompatible hidden noswapfile nomore shortmess+=IcFAWs noautoindent textwidth=0
set formatoptions= viminfo= encoding=utf-8 fileformats=unix,dos nobackup nowritebackup autoread
set ttimeout ttimeoutlen=20
" vim-lsp waits as long before it sends a change.
set updatetime=1000
filetype on
