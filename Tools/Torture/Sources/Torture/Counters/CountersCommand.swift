import ArgumentParser
import TestSupport

/// Counters that are skipped, used again, and used for other content.
struct CountersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counters",
    abstract: "Sends requests with counters that were skipped or used, over every way in.",
    discussion: """
      A case is a session in one document: over editlog/append, editlog/forward, the native dialect, or a \
      spool. A request above the last counter is logged. One below it gets its answer again if the log has \
      it with this content, and is refused otherwise. The text is that of the requests that were \
      acknowledged, and a spool with a gap or a refused message is kept.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  func run() throws {
    let program = daemon.daemon
    let campaign = Campaign("counters", options, defaultCount: 400)
    try campaign.run { seed, worker in
      let folder = TemporaryFolder(in: scratchPlace)
      let spool = folder.path("spool")
      let daemon = DaemonProcess(
        program, store: folder.path("store"), folder: folder.path, settings: ["--spool", spool])
      var random = SplitMix64(seed: seed)
      try daemon.start()
      for number in 0..<20 where !campaign.isOver {
        worker.begin(number)
        do {
          let session = CounterSession(daemon, spool: spool, number, &random)
          try session.run(&random)
        } catch let failure as StateCheck.Failure {
          worker.found(failure.what, failure.detail)
        }
        campaign.note()
      }
    }
  }
}
