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

-- LSP does not tell what kind of change is made. These hooks do: `u`, CTRL-R, `p`, `P` and what the
-- terminal pastes. A key that has a mapping keeps it. Other commands, such as `:undo` and `:put`,
-- are logged as typing.
local annotating = false

local function annotate(buffer, annotation)
  local get = lsp.get_clients or lsp.get_active_clients
  for _, client in pairs(get()) do
    if client.name == 'editlog' and lsp.buf_is_attached(buffer, client.id) then
      local params = vim.tbl_extend(
        'error', { document = vim.uri_from_bufnr(buffer) }, annotation)
      if vim.fn.has('nvim-0.11') == 1 then
        client:notify('editlog/annotate', params)
      else
        client.notify('editlog/annotate', params)
      end
    end
  end
end

-- Calls `act`; the changes that it makes in the current buffer are logged with `annotation`:
-- `origin`, `author` or `agent`, as the article Protocol has them. Returns what `act` returns.
local function during(annotation, act)
  if annotating then return act() end
  local buffer = api.nvim_get_current_buf()
  annotating = true
  annotate(buffer, annotation)
  local result = { pcall(act) }
  if api.nvim_buf_is_valid(buffer) then annotate(buffer, {}) end
  annotating = false
  if not result[1] then error(result[2], 0) end
  return unpack(result, 2)
end

local function map(modes, key, origin, register)
  for _, mode in ipairs(modes) do
    if vim.fn.maparg(key, mode) == '' then
      vim.keymap.set(mode, key, function()
        local keys = vim.v.count > 0 and vim.v.count .. key or key
        if register then keys = '"' .. vim.v.register .. keys end
        during({ origin = origin }, function()
          vim.cmd('normal! ' .. api.nvim_replace_termcodes(keys, true, false, true))
        end)
      end, { desc = 'EditLog: ' .. origin })
    end
  end
end

map({ 'n' }, 'u', 'undo')
map({ 'n' }, '<C-r>', 'redo')
map({ 'n', 'x' }, 'p', 'paste', true)
map({ 'n', 'x' }, 'P', 'paste', true)

local paste = vim.paste
vim.paste = function(lines, phase)
  return during({ origin = 'paste' }, function() return paste(lines, phase) end)
end

-- For plugins: editlog.during({ agent = 'NAME' }, function() … end).
_G.editlog = { during = during }
