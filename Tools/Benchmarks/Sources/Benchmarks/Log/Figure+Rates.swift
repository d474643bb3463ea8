import EditLog
import EditLogCommands
import EditModel

extension Figure {
  /// Packing a history, with all that makes it safe.
  static let seal = Figure(
    name: "seal",
    summary: "a whole history from the journal into a segment: read, encoded, written, read back "
      + "and compared; its compaction; zstd alone on the same history in rows"
  ) { session in
    for trace in session.traces {
      let entries = trace.entries()
      let seal = Contender("seal") {
        let store = try BenchStore()
        let writer = try store.writer()
        try store.record(entries, in: writer)
        return try Clock.time { try writer.seal(store.document) }
      }
      let compaction = Contender("compaction") {
        let store = try BenchStore()
        let writer = try store.writer()
        try store.record(entries, in: writer, sealCount: entries.count)
        return try Clock.time { try store.compact(writer) }
      }
      var contenders = session.isQuick ? [seal] : [seal, compaction]
      let rows = ZstdRows(trace)
      for level in [6, 19] where level == 6 || !session.isQuick {
        contenders.append(Contender("zstd-\(level)") { Clock.time { rows.compress(level) } })
      }
      try session.show(
        [ReportLine](
          "seal", trace.name, "ns/edit", per: Double(entries.count),
          race(contenders, session.effort), baseline: "zstd-6"))
      try session.show([
        ReportLine(
          "seal/zstd-6/bytes", trace.name, Double(rows.compress(6)) / Double(entries.count),
          "bytes/edit")
      ])
    }
  }

  /// Reading a sealed history from its first edit to its last.
  static let read = Figure(
    name: "read",
    summary: "a whole sealed history to entries, and to spans; one edit of a fresh history, far "
      + "back; zstd alone on the same history in rows"
  ) { session in
    for trace in session.traces {
      let entries = trace.entries()
      let count = Double(entries.count)
      let rows = ZstdRows(trace)
      let frame = rows.frame(6)
      for name in ["", "compacted "] {
        let store = try BenchStore()
        let writer = try store.writer()
        try store.record(entries, in: writer, sealCount: entries.count)
        if !name.isEmpty { try store.compact(writer) }
        try check(store, is: entries)
        let zstd = Contender("zstd-6") { Clock.time { rows.decompress(frame) } }
        let whole = [
          Contender("entries") { try store.time { try $0.forEachEntry { _ in } } }, zstd,
        ]
        let spans = [
          Contender("spans") { try store.time { try $0.forEachSpan { _ in } } }, zstd,
        ]
        let trace = name + trace.name
        try session.show(
          [ReportLine](
            "read/entries", trace, "ns/edit", per: count, race(whole, session.effort),
            baseline: "zstd-6"))
        try session.show(
          [ReportLine](
            "read/spans", trace, "ns/edit", per: count, race(spans, session.effort),
            baseline: "zstd-6"))
        // The last blocks of a chain are the dearest.
        let last = UInt64(entries.count)
        let one = [
          Contender("one") { try store.time { _ = try $0.edit(at: last) } }
        ]
        try session.show(
          [ReportLine]("read/last-edit", trace, "us", per: 1_000, race(one, session.effort)))
      }
    }
  }

  private static func check(_ store: BenchStore, is entries: [HistoryEntry]) throws {
    var found: [HistoryEntry] = []
    found.reserveCapacity(entries.count)
    try store.history().forEachEntry { found.append($0) }
    guard found == entries else { throw CommandError.data("the log gives another history") }
  }
}

extension BenchStore {
  /// Nanoseconds that `body` takes on a history that knows nothing yet.
  func time(_ body: (History) throws -> Void) throws -> Double {
    let history = try history()
    return try Clock.time { try body(history) }
  }
}
