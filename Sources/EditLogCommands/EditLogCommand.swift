import ArgumentParser

/// `editlog`: the command line.
struct EditLogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "editlog",
    abstract: "Record every edit of a text, and show the text at any point of its history.",
    usage: "editlog [<options>] <subcommand> [<arguments>]",
    discussion: """
      --socket, --store, --timeout, --json, --color, --no-pager, --utc, --verified and --head may also be given \
      before the verb.

      NAME is the path of a file, or the name of a document. It is taken for a path if there is a \
      file at this path, or if it begins with /, ./ or ../. If the document of the path does not \
      exist, the document of the name is used, and the other way round. If both exist, a warning \
      says so. `name:NAME` is always the document of this name, and a URI (with ://) the document \
      of this URI. `documents` prints names that all verbs take. A document that was renamed is also \
      found by its former names, if no other document has such a name now; a line on standard error \
      then gives the present name. Only `append` and `import`, which begin a new document, \
      `rename` and `forget` do not use former names.

      POINT is a point in a document's history:
        1234                   after edit 1234; 0 is the empty document
        latest                 after the newest edit
        mark:LABEL             the version that the last mark of this label names
        save:-1                the version at the last save; save:1 the first
        session:-1             the version at the start of the last session
        undo:-3                the version before the last three undo steps; undo:7 after step 7
        2026-11-20T15:04:05Z   a time (RFC 3339); also 2026-11-20 15:04, 2026-11-20
        20 Nov 2026 15:04      the same, as lists show it; also Fri 20 Nov 2026 and 20 Nov
        15:04, 15:04 yesterday, yesterday
        monday, mon 15:04      the most recent one
        10m ago                s, m, h, d (24 hours) and w; also 1h30m ago, 2 hours ago and -1h
        now                    this moment

      Each may be written as @1234 or @{15:04 yesterday} too. Verbs with --at also take both in one \
      argument, as `scrub` prints them: NAME@POINT, such as essay@1234 or 'essay@{15:04 yesterday}', if \
      there is no document of this whole name. `diff` takes it for --from, `log` for --until.
      Times without a zone are local, or UTC with --utc. A time without a fraction is the end of its second for --at \
      and --until, and its beginning for --since.

      `editlog` connects to the daemon if one listens at --socket, EDITLOG_SOCKET or \
      $XDG_RUNTIME_DIR/editlog/editlogd.sock. Otherwise it reads the files in --store, \
      EDITLOG_STORE or $XDG_STATE_HOME/editlog (~/.local/state/editlog). If only one of socket and \
      store is named, the other is not tried. If EDITLOG_STORE is set, a daemon of another store is \
      refused. So is a program of another user that listens at the socket; root may.

      A daemon that is waited for is named on standard error after 2 s, and the verb ends if it gives no \
      sign of life for --timeout seconds: no byte, and no answer to a ping. A daemon that works on a long \
      question answers it.

      Verbs that log edits take --author. The default is EDITLOG_AUTHOR, else git's user.name, else \
      your login name. `log` and `status` show who made edits, and with which program.

      Data goes to standard output, everything else to standard error. Long output goes through \
      EDITLOG_PAGER, PAGER or `less -FRX`, tables through `less -FRSX`. NO_COLOR, CLICOLOR_FORCE and TERM are respected.

      Exit status: 0 done; 1 `diff`: the versions differ, `grep`: no match, `bisect`: only \
      skipped versions are left, `import git`: a version was left out; 64 usage; 65 bad data or damaged log, \
      or the output may lack acknowledged edits; \
      66 no such document, point or file; 69 no daemon, or one that does not \
      answer, or a program that is missing; 70 internal error; 73, 74 input or \
      output failed; 75 try again; 77 not permitted; 78 newer format; 80 version no longer kept. \
      `verify`, `repair`, `backup` and `doctor` list their own exit statuses in their help.
      """,
    version: "0.1.0",
    subcommands: [
      LogCommand.self, ShowCommand.self, ScrubCommand.self, RenderCommand.self, DiffCommand.self,
      ParagraphsCommand.self,
      InspectCommand.self, HistoryCommand.self, BlameCommand.self, GrepCommand.self,
      BisectCommand.self, ActivityCommand.self, AgentsCommand.self, OutlineCommand.self,
      UndoCommand.self, RedoCommand.self, RestoreCommand.self, WriteCommand.self, StyleCommand.self,
      AttachCommand.self, AttachmentCommand.self, TraceCommand.self, MarkCommand.self,
      MarksCommand.self, DocumentsCommand.self, ReproCommand.self, ImportCommand.self,
      ExportCommand.self, AppendCommand.self, StatusCommand.self, DoctorCommand.self,
      VerifyCommand.self, RepairCommand.self, BackupCommand.self, UsageCommand.self,
      RenameCommand.self, ForgetCommand.self,
      ProjectCommand.self, LSPCommand.self, WatchCommand.self, RulesCommand.self,
      SchemaCommand.self, ProtocolSchemaCommand.self, OverviewCommand.self,
    ], defaultSubcommand: OverviewCommand.self)
}
