import EditLog
import EditLogCommands
import EditModel

extension Figure {
  /// Entries made durable.
  static let append = Figure(
    name: "append",
    summary: "entries appended to a store in memory, 1, 256 and 4,096 at once; durable where the "
      + "folder is"
  ) { session in
    for trace in session.traces {
      let entries = trace.entries()
      for batchCount in [1, 256, 4_096] {
        let some = Array(entries.prefix(min(batchCount * 4_000, entries.count)))
        let contender = Contender("append") {
          let store = try BenchStore()
          let writer = try store.writer()
          return try Clock.time { try store.record(some, in: writer, batchCount: batchCount) }
        }
        try session.show(
          [ReportLine](
            "append", "\(trace.name) by \(batchCount)", "ns/edit", per: Double(some.count),
            race([contender], session.effort)))
      }
    }
  }

  /// From a path to a history.
  static let open = Figure(
    name: "open",
    summary: "a store and the history in it: all sealed, to read; and to write"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore()
      let entries = trace.entries()
      try store.record(entries, in: store.writer(), sealCount: entries.count)
      try session.show(store.openingLines("open", trace.name, session.effort))
    }
  }

  /// A store whose writer was killed.
  static let recovery = Figure(
    name: "recovery", summary: "opening a store to write, 200,000 edits of which are in its journal"
  ) { session in
    for trace in session.traces {
      let store = try BenchStore()
      let count = session.isQuick ? 60_000 : 200_000
      // No seal and no close: the journal is as a killed writer leaves it.
      try store.repeating(trace, count: count, sealCount: nil)
      let contender = Contender("recovery") {
        try Clock.time {
          let writer = try store.writer()
          guard writer.recovery.unsealedEntries == count else {
            throw CommandError.data("recovery found \(writer.recovery.unsealedEntries) entries")
          }
        }
      }
      try session.show(
        [ReportLine](
          "recovery", "\(trace.name), \(Numbers.grouped(count)) edits", "ms", per: 1e6,
          race([contender], session.effort)))
    }
  }

  /// A history longer than anyone's.
  static let long = Figure(
    name: "long",
    summary: "a history of --largest edits, a real one again and again: opening it, its bytes, "
      + "and appending to it"
  ) { session in
    guard let trace = session.traces.max(by: { $0.edits.count < $1.edits.count }) else { return }
    let (store, count) = (try BenchStore(), session.largest)
    let name = "\(trace.name), \(Numbers.grouped(count)) edits"
    let making = try Clock.time {
      try store.repeating(trace, count: count, sealCount: 1 << 20)
    }
    try session.show([
      ReportLine("long/record-and-seal", name, making / Double(count), "ns/edit"),
      ReportLine(
        "long/bytes", name, Double(try store.sealedBytes().data) / Double(count), "bytes/edit"),
    ])
    try session.show(store.openingLines("long", name, session.effort))
    let middle = UInt64(count / 2)
    let one = Contender("one") { try store.time { _ = try $0.edit(at: middle) } }
    let more = trace.entries().shifted(by: UInt64(count), delay: .max / 4)
    let writer = try store.writer()
    let appending = try Clock.time { try store.record(more, in: writer, batchCount: 256) }
    try session.show(
      [ReportLine]("long/middle-edit", name, "us", per: 1_000, race([one], session.effort))
        + [ReportLine("long/append by 256", name, appending / Double(more.count), "ns/edit")])
  }
}

extension BenchStore {
  /// Records a trace again and again, to `count` edits.
  func repeating(_ trace: Trace, count: Int, sealCount: Int?) throws {
    let writer = try writer()
    let entries = trace.entries()
    let delay = trace.delay(ofRounds: count / entries.count + 1)
    for round in 0... {
      let done = round * entries.count
      guard done < count else { break }
      let part = Array(entries.prefix(count - done))
        .shifted(by: UInt64(done), delay: Int64(round) * delay)
      let isLast = done + part.count == count
      try record(part, in: writer, batchCount: 1 << 16)
      if let sealCount, isLast || (done + part.count) / sealCount > done / sealCount {
        try writer.seal(document)
      }
    }
  }

  /// Opening the store for reading, up to the history and its head, and for writing.
  fileprivate func openingLines(
    _ figure: String, _ trace: String, _ effort: Effort
  ) throws -> [ReportLine] {
    let contenders = [
      Contender("reader") { try Clock.time { _ = try self.history().head } },
      Contender("writer") { try Clock.time { _ = try self.writer().history(of: self.document) } },
    ]
    return try race(contenders, effort).map { samples in
      ReportLine(
        "\(figure)/\(samples.name)", trace, samples.median / 1e3, "us",
        samples: samples.values.count)
    }
  }
}
