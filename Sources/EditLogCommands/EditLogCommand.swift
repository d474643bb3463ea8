import ArgumentParser

/// `editlog`: the command line.
struct EditLogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "editlog",
    abstract: "Every edit ever made to a text, and the text at any point of its history.",
    discussion: """
      NAME means the document of a file if there is a file at this path, or if it begins with \
      /, ./ or ../; else the document of this name. If that document does not exist, the other is \
      used; if both exist, a warning says so. `name:NAME` is always the document of this name, and \
      a URI (with ://) the document of this URI. `documents` prints names that can be given to all \
      verbs.

      POINT is a point in a document's history:
        1234                   after edit 1234; 0 is the empty document
        latest                 after the newest edit
        mark:LABEL             where the last mark of this label stands
        2026-11-20T15:04:05Z   a time (RFC 3339); also 2026-11-20 15:04, 2026-11-20
        15:04, 15:04 yesterday, yesterday
        10m ago                s, m, h, d (24 hours) and w; also 1h30m ago
        now                    this moment
      Times without a zone are local. A time without a fraction is the end of its second for --at and \
      --until, and its beginning for --since.

      The daemon is asked if one listens at --socket, EDITLOG_SOCKET or \
      $XDG_RUNTIME_DIR/editlog/editlogd.sock; else the files are read: --store, EDITLOG_STORE or \
      $XDG_STATE_HOME/editlog (~/.local/state/editlog). Naming one of the two excludes the other.

      Data goes to standard output, everything else to standard error. Long output goes through \
      EDITLOG_PAGER, PAGER or `less -FRSX`. NO_COLOR, CLICOLOR_FORCE and TERM are respected.

      Exit status: 0 done; 1 `diff`: the versions differ; 64 usage; 65 bad data or damaged log, \
      or the output may lack acknowledged edits; \
      66 no such document, point or file; 69 no daemon; 70 internal error; 73, 74 input or \
      output failed; 75 try again; 77 not permitted; 78 newer format; 80 no longer kept. \
      `verify` and `repair` have their own, see there.
      """,
    version: "0.1.0",
    subcommands: [
      LogCommand.self, ShowCommand.self, DiffCommand.self, ParagraphsCommand.self,
      UndoCommand.self, RedoCommand.self, TraceCommand.self, MarkCommand.self,
      DocumentsCommand.self,
      ImportCommand.self, AppendCommand.self, StatusCommand.self, VerifyCommand.self,
      RepairCommand.self, UsageCommand.self, ForgetCommand.self, LSPCommand.self,
      ProtocolSchemaCommand.self,
    ])
}
