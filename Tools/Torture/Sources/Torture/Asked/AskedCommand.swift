import ArgumentParser
import TestSupport

/// Edits for which an editor is asked, and the daemon is killed.
struct AskedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "asked",
    abstract: "Kills the real daemon at each step of an edit that an editor is asked for.",
    discussion: """
      A case is an edit of a document that an editor has open. The daemon is killed before the editor is \
      asked, before it makes the edit, before it reports it, and before the client has its answer; then \
      editor and client come back, in either order. The edit is in the text once, the log has the editor's \
      text, and the request has one answer, however often it is sent.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  func run() throws {
    let program = daemon.daemon
    let campaign = Campaign("asked", options, defaultCount: 200)
    try campaign.run { seed, worker in
      let folder = TemporaryFolder(in: scratchPlace)
      let daemon = DaemonProcess(program, store: folder.path("store"), folder: folder.path)
      var random = SplitMix64(seed: seed)
      try daemon.start()
      for number in 0..<20 where !campaign.isOver {
        worker.begin(number)
        do {
          var asking = try AskedEdit(daemon, number, &random)
          try asking.run()
        } catch let failure as StateCheck.Failure {
          worker.found(failure.what, failure.detail)
        }
        campaign.note()
      }
    }
  }
}
