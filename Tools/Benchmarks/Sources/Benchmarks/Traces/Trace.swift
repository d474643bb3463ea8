import EditLogCommands
import EditModel
import EditProtocol

/// A real editing history, ready to be applied.
struct Trace {
  /// The file's name without its endings.
  let name: String
  /// Every edit.
  let edits: EditBatch
  /// When each edit was made, never before the edit before it; all 0 where the trace tells none.
  let times: [Timestamp]
  /// The number of the first edit of each edit's transaction, counted from 1.
  let transactions: [UInt64]
  /// The text that they leave.
  let finalUnits: [UInt16]

  /// The final text repeated until it has `count` units.
  func text(of count: Int) -> [UInt16] {
    var units: [UInt16] = []
    units.reserveCapacity(count)
    while units.count < count, !finalUnits.isEmpty {
      units.append(contentsOf: finalUnits.prefix(count - units.count))
    }
    return units
  }
}

extension Trace {
  /// Reads a trace file.
  ///
  /// - Throws: `CommandError` where it cannot be read or is no trace.
  init(path: String) throws {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    var reader = try TraceReader(TraceFile.bytes(of: path), path: path)
    var (map, edits) = (CodePointMap(), EditBatch())
    var (times, transactions): ([Timestamp], [UInt64]) = ([], [])
    var time = Timestamp(nanoseconds: 0)
    func add(
      at position: Int, removing deleted: Int, inserting inserted: [UInt16], transaction: Int
    ) throws {
      let end = position + deleted
      guard end <= map.count else {
        throw CommandError.data("\(path): edit \(edits.count) reaches past the text")
      }
      let (lower, upper) = (map.utf16Offset(of: position), map.utf16Offset(of: end))
      map.replace(position..<end, with: inserted)
      edits.append(at: lower, removing: upper - lower, inserting: inserted)
      times.append(time)
      transactions.append(UInt64(transaction))
    }
    if !reader.startContent.isEmpty {
      try add(at: 0, removing: 0, inserting: reader.startContent, transaction: 1)
    }
    while let transaction = try reader.next() {
      if let text = transaction.time, let next = Timestamp(rfc3339: text) { time = max(time, next) }
      let first = edits.count + 1
      for patch in transaction.patches {
        try add(
          at: patch.position, removing: patch.deleted, inserting: patch.inserted,
          transaction: first)
      }
    }
    guard let finalUnits = reader.endContent else {
      throw CommandError.data("\(path): not a trace: it has no \"endContent\"")
    }
    name = String(file.prefix { $0 != "." })
    (self.edits, self.finalUnits) = (edits, finalUnits)
    (self.times, self.transactions) = (times, transactions)
  }
}
