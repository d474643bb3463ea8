import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

struct BackupCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the store to a folder, while edits go on.",
    discussion: withExamples(
      """
      The folder is then a store of its own: any verb reads it with --store, and a copy of it in \
      the place of the store is the restored store. Everything that was acknowledged before the \
      run began is in it. Run it again with the same folder: only what is new is copied, and what \
      was forgotten is erased from the backup too. What is copied is flushed, read back and \
      compared with its checksums. The files are read without a lock, and no edit waits.

      The folder is made if it does not exist; it must be empty, or a backup of this store that no \
      daemon was started with. If a run is interrupted, the folder still has what the run before \
      copied, readers say that a run is unfinished, and the next run completes it.

      Checkpoints are not copied: they are made again when the restored store is used. Damage in \
      the store ends the run, so a damaged file never replaces a sound one; see `editlog verify`.

      Exit status: 0 done; 65 the store is damaged; 73 the folder cannot be used; 74 the disk is \
      full, or reading or writing failed; 75 the folder is in use. With --verify, also that of \
      `editlog verify` on the backup.
      """))

  static let examples = [
    Example("editlog backup ~/backup/editlog", "copy what is new since the last run"),
    Example("editlog backup ~/backup/editlog --dry-run", "how much that would be"),
    Example("editlog backup ~/backup/editlog --verify", "check every byte of the backup too"),
  ]

  static var jsonLines: [JSONLine] {
    [
      .init("what was copied", BackupAnswer.codec),
      .init("the verdict on the backup, with --verify", VerifyAnswer.codec),
    ]
  }

  @Argument(help: "The folder of the backup.", completion: .directory) var folder: String
  @Flag(help: "Print what would be copied, and change nothing.") var dryRun = false
  @Flag(help: "Check every byte and every history of the backup when it is made.")
  var verify = false
  @OptionGroup var common: CommonOptions

  var isPaged: Bool { false }

  func validate() throws {
    guard !dryRun || !verify else {
      throw ValidationError("--verify checks a backup that was made: give it without --dry-run")
    }
  }

  func run(in session: Session) async throws {
    let store = try await storePath(session)
    let folder = try BackupFolder(folder, store: store)
    let answer = try backup(store, to: folder, session)
    if common.json {
      try session.printJSON(answer, BackupAnswer.codec)
    } else {
      try print(answer, session)
    }
    if verify { try await verify(folder, session) }
  }

  /// The folder of the store: that of the daemon, if one answers.
  private func storePath(_ session: Session) async throws -> String {
    if session.socket == nil, case .store(let path) = common.location() { return path }
    let status = try await session.backend.ask(StatusRequest())
    guard session.socket != nil, !status.path.hasPrefix("/") else { return status.path }
    // It is relative to the working folder of the daemon, which may be another one.
    let files = try await Location.store(status.path).open()
    let found = try? await files.ask(StatusRequest())
    await files.close()
    guard found?.store == status.store else {
      throw CommandError.notFound(
        "the daemon's store is at \(status.path.shown), relative to the folder in which it was "
          + "started; give its path with --store")
    }
    return status.path
  }

  private func backup(
    _ store: String, to folder: BackupFolder, _ session: Session
  ) throws -> BackupAnswer {
    let bar = WaitingBar(session)
    defer { bar.end() }
    do {
      return try BackupAnswer.backup(
        of: store, to: folder.path, isDryRun: dryRun, progress: bar.show)
    } catch {
      switch error {
      case .folder(let message): throw CommandError(exitCode: 73, message)
      case .busy:
        throw CommandError(
          exitCode: 75,
          "\(folder.path.shown) is in use: another backup writes to it, or a daemon serves it")
      case .failed(let error): throw error
      }
    }
  }

  private func print(_ answer: BackupAnswer, _ session: Session) throws {
    var table = session.table(
      [.init(isRight: true), .init(isWrapped: true)], hasHeader: false)
    var rows = [
      (
        dryRun ? "would copy" : "copied",
        "\(Numbers.grouped(answer.fileCount)) file\(answer.fileCount == 1 ? "" : "s"), "
          + Numbers.size(answer.size)
      ),
      ("to", answer.folder.shown),
      ("documents", Numbers.grouped(answer.documentCount)),
      ("edits", Numbers.grouped(answer.editCount)),
      ("as of", answer.time.rfc3339),
    ]
    if answer.removedDocumentCount > 0 {
      rows.append(
        (
          dryRun ? "would erase" : "erased",
          Numbers.grouped(answer.removedDocumentCount) + " forgotten"
        ))
    }
    if answer.resumed { rows.append(("resumed", "a run before was interrupted")) }
    rows.append(("took", Numbers.duration(Int64(clamping: answer.nanoseconds))))
    for (label, value) in rows { table.append([.init(label + ":", .header), .init(value)]) }
    try session.output.write(table.takeLines())
  }

  /// Checks the backup as `editlog verify --store` does.
  private func verify(_ folder: BackupFolder, _ session: Session) async throws {
    let backend = try await Location.store(folder.path).open()
    let answer: VerifyAnswer
    do {
      answer = try await backend.ask(VerifyRequest())
    } catch {
      await backend.close()
      throw error
    }
    await backend.close()
    try VerifyCommand.report(answer, isJSON: common.json, session)
  }
}
