import EditModel
import EditProtocol
import EditSpool

// `--metrics`: what status knows, in the text format of Prometheus.
extension StatusCommand {
  /// A number with its name and meaning.
  private typealias Metric = (name: String, help: String, value: String)

  /// All metrics: those of the store, which are gauges, because `forget` and sealing make numbers
  /// smaller; then the counters and histograms of the daemon since its start.
  static func metrics(_ status: StatusAnswer, _ spools: [WaitingSpool]) -> String {
    let all = store(status) + room(status) + (status.daemon.map(daemon) ?? []) + waiting(spools)
    let version = status.version.filter {
      $0.isASCII && ($0.isLetter || $0.isNumber || "-.+".contains($0))
    }
    let info: Metric = ("build_info{version=\"\(version)\"}", "The version that answers.", "1")
    return ([info] + all).map { metric in
      let name = "editlog_" + metric.name.prefix { $0 != "{" }
      return """
        # HELP \(name) \(metric.help)
        # TYPE \(name) gauge
        editlog_\(metric.name) \(metric.value)

        """
    }.joined() + (status.daemon?.metrics ?? "")
  }

  private static func room(_ status: StatusAnswer) -> [Metric] {
    DiskSpace.free(at: status.path).map {
      [("disk_free_bytes", "Bytes that are free on the store's disk.", "\($0)")]
    } ?? []
  }

  private static func store(_ status: StatusAnswer) -> [Metric] {
    [
      (
        "daemon_up", "1 if a daemon answers, 0 if the files are read.",
        status.daemon == nil ? "0" : "1"
      ),
      ("documents", "Documents in the store.", "\(status.documentCount)"),
      ("edits", "Edits of all documents.", "\(status.editCount)"),
      ("sealed_bytes", "Bytes of all segments.", "\(status.sealedSize)"),
      ("journal_bytes", "Bytes of all journals.", "\(status.journalSize)"),
      ("known_damages", "Known damages that are not accepted.", "\(status.damage.count)"),
      ("accepted_losses", "Losses that were accepted.", "\(status.acceptedLossCount)"),
      ("quarantined_files", "Files in quarantine.", "\(status.quarantinedCount)"),
    ]
  }

  private static func daemon(_ daemon: DaemonStatus) -> [Metric] {
    let started = Double(daemon.started.nanoseconds) / 1e9
    return [
      (
        "daemon_start_time_seconds", "When the daemon started, in seconds since 1970 UTC.",
        "\(started)"
      ),
      ("unsealed_entries", "Entries that are only in journals.", "\(daemon.unsealedCount)"),
      (
        "documents_in_memory", "Documents whose newest version is in memory.",
        "\(daemon.inMemoryCount)"
      ),
      (
        "checked_documents", "Documents that were checked since the daemon started.",
        "\(daemon.checkedCount)"
      ),
      (
        "last_seal_time_seconds",
        "When a document was sealed last, in seconds since 1970 UTC; 0 if none since the start.",
        "\(Double(daemon.lastSeal?.nanoseconds ?? 0) / 1e9)"
      ),
      (
        "no_space", "1 if edits are refused because the disk is full.",
        daemon.shortage == nil ? "0" : "1"
      ),
      (
        "no_space_missing_bytes", "Bytes that are missing at least.",
        "\(daemon.shortage?.missingSize ?? 0)"
      ),
    ]
  }

  private static func waiting(_ spools: [WaitingSpool]) -> [Metric] {
    [
      (
        "waiting_spools", "Spools with messages that the daemon has not received.",
        "\(spools.count)"
      ),
      (
        "waiting_messages", "Messages in these spools.",
        "\(spools.reduce(0) { $0 + $1.requestCount })"
      ),
      ("waiting_bytes", "Bytes of these spools.", "\(spools.reduce(0) { $0 + $1.size })"),
    ]
  }
}
