//! Starts `editlog lsp` from the PATH that Zed sees.
use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct EditLog;

impl zed::Extension for EditLog {
    fn new() -> Self {
        EditLog
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let command = worktree
            .which("editlog")
            .ok_or("no editlog in the PATH: install it, and start Zed again")?;
        Ok(Command {
            command,
            args: vec!["lsp".into()],
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(EditLog);
