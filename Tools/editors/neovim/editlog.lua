-- EditLog in Neovim 0.7 and later: every file that is opened is sent to `editlog lsp`, beside the
-- other language servers of its file type.
local api, lsp = vim.api, vim.lsp

local config = {
  name = 'editlog',
  cmd = { 'editlog', 'lsp' },
  -- 0 sends each key by itself, so that its time is its own. Neovim's default is 150 ms.
  flags = { debounce_text_changes = 0 },
  capabilities = lsp.protocol.make_client_capabilities(),
}
-- Neovim 0.11 asks for one encoding of all servers of a buffer, and most have UTF-16.
config.capabilities.general = vim.tbl_extend(
  'force', config.capabilities.general or {}, { positionEncodings = { 'utf-16' } })

local attach
if lsp.config and lsp.enable then
  -- Neovim 0.11 and later. `lsp.enable` starts the server for files that have a file type.
  lsp.config('editlog', config)
  lsp.enable('editlog')
  attach = function(buffer) lsp.start(lsp.config.editlog, { bufnr = buffer }) end
elseif lsp.start then
  -- Neovim 0.8 to 0.10.
  attach = function(buffer) lsp.start(config, { bufnr = buffer }) end
else
  local client
  config.root_dir = vim.fn.getcwd()
  config.on_exit = function() client = nil end
  attach = function(buffer)
    client = client or lsp.start_client(config)
    if client then lsp.buf_attach_client(buffer, client) end
  end
end

api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost' }, {
  group = api.nvim_create_augroup('editlog', {}),
  callback = function(event)
    local isFile = vim.bo[event.buf].buftype == '' and api.nvim_buf_get_name(event.buf) ~= ''
    if isFile then attach(event.buf) end
  end,
})
