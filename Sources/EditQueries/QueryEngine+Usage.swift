import EditLog
import EditModel
import EditProtocol

extension QueryEngine {
  /// What the store takes, by document, kind and age.
  func usage() async throws(ProtocolError) -> JSON {
    let usage = try await source.usage()
    let now = clock.now()
    return [
      "documents": .array(usage.documents.map { Self.row($0, now: now) }),
      "bytes": JSON(usage.size), "journals": JSON(usage.journalSize),
      "journalOverhead": JSON(usage.journalOverheadSize), "overhead": JSON(usage.overheadSize),
      "quarantine": JSON(usage.quarantineSize),
    ]
  }

  private static func row(_ usage: DocumentUsage, now: Timestamp) -> JSON {
    var row: JSONObject = [
      "document": JSON(usage.document.name), "bytes": JSON(usage.size),
      "edits": JSON(usage.editCount), "blocks": JSON(usage.blockSize),
      "footers": JSON(usage.footerSize), "parity": JSON(usage.paritySize),
      "checkpoints": JSON(usage.checkpointSize), "journal": JSON(usage.journalSize),
      "name": JSON(usage.nameSize), "other": JSON(usage.otherSize),
    ]
    if usage.editCount > 0 {
      row["bytesPerEdit"] = .double(Double(usage.size) / Double(usage.editCount))
    }
    var ages: JSONObject = [:]
    for (name, size) in AgeBand.sizes(of: usage.ages, now: now) { ages[name] = JSON(size) }
    row["ages"] = .object(ages)
    return .object(row)
  }
}

/// How long ago something was written.
private struct AgeBand {
  let name: String
  let daysMax: Int64

  private static let all = [
    AgeBand(name: "day", daysMax: 1), AgeBand(name: "week", daysMax: 7),
    AgeBand(name: "month", daysMax: 30), AgeBand(name: "older", daysMax: .max),
  ]

  /// The bytes in each band that are in no younger one.
  static func sizes(of ages: [DocumentUsage.Age], now: Timestamp) -> [(name: String, size: Int)] {
    let day: Int64 = 86_400_000_000_000
    var sizes = all.map { (name: $0.name, size: 0) }
    for age in ages {
      let (past, isOverflow) = now.nanoseconds.subtractingReportingOverflow(age.time.nanoseconds)
      let days = isOverflow ? Int64.max : past / day
      let band = all.firstIndex { days < $0.daysMax } ?? all.count - 1
      sizes[band].size += age.size
    }
    return sizes
  }
}
