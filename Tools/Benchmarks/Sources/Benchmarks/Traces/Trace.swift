import EditModel

/// A real editing history, ready to be applied.
struct Trace {
  /// The file's name without its endings.
  let name: String
  /// Every edit.
  let edits: EditBatch
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
    func add(_ patch: TracePatch) throws {
      let end = patch.position + patch.deleted
      guard end <= map.count else {
        throw CommandError.data("\(path): edit \(edits.count) reaches past the text")
      }
      let (lower, upper) = (map.utf16Offset(of: patch.position), map.utf16Offset(of: end))
      map.replace(patch.position..<end, with: patch.inserted)
      edits.append(at: lower, removing: upper - lower, inserting: patch.inserted)
    }
    if !reader.startContent.isEmpty {
      try add(TracePatch(position: 0, deleted: 0, inserted: reader.startContent))
    }
    while let transaction = try reader.next() {
      for patch in transaction.patches { try add(patch) }
    }
    guard let finalUnits = reader.endContent else {
      throw CommandError.data("\(path): not a trace: it has no \"endContent\"")
    }
    name = String(file.prefix { $0 != "." })
    (self.edits, self.finalUnits) = (edits, finalUnits)
  }
}
