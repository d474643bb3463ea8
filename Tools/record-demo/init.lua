-- Neovim's side of a recording: plain settings, and the language server that remembers.
-- Written for Neovim 0.7 (Debian 12), which has no vim.lsp.start yet.
vim.opt.swapfile = false
vim.opt.shadafile = 'NONE'
vim.opt.autoindent = false
vim.opt.textwidth = 0
vim.opt.formatoptions = ''
vim.opt.linebreak = true
vim.opt.wrapscan = true
vim.opt.more = false
vim.opt.shortmess:append('IcWs')

-- What to run, as a line of shell, so that a path with arguments works too.
local command = vim.env.RECORD_SERVER or 'editlog lsp'
-- Milliseconds that Neovim gathers changes before it sends them. 0 sends each key by itself, so
-- that its time is its own; Neovim's default is 150.
local debounce = tonumber(vim.env.RECORD_DEBOUNCE or '0')

local function report(word)
  if vim.env.RECORD_STATUS then vim.fn.writefile({ word }, vim.env.RECORD_STATUS) end
end

vim.api.nvim_create_autocmd('VimEnter', {
  once = true,
  callback = function()
    local client = vim.lsp.start_client({
      name = 'editlog',
      cmd = { 'sh', '-c', 'exec ' .. command },
      root_dir = vim.fn.getcwd(),
      flags = { debounce_text_changes = debounce, exit_timeout = 3000 },
      -- Called once didOpen is on its way: what is typed from here on is recorded.
      on_attach = function() report('attached') end,
      on_exit = function(code, signal) report(('ended %d %d'):format(code, signal)) end,
    })
    if not client or not vim.lsp.buf_attach_client(0, client) then report('failed') end
  end,
})
