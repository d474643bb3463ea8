import EditModel

/// One change of a trace, in code points of the text before this change.
package struct TracePatch: Hashable, Sendable {
  /// Code points before the change.
  package let position: Int
  /// The number of code points that are removed.
  package let deleted: Int
  /// The UTF-16 units that replace them.
  package let inserted: [UInt16]
}

/// The patches of one transaction.
package struct TraceTransaction: Hashable, Sendable {
  /// Its place among the trace's transactions, from 0.
  package let index: Int
  /// Its time as the trace writes it; nil if it has none.
  package let time: String?
  /// Its changes, in order.
  package let patches: [TracePatch]
}

/// Reads a trace: an object with `startContent`, `endContent` and `txns`, a list of
/// `{time, patches}`, where a patch is `[position, deleted, inserted]`.
///
/// The members may come in any order, but `startContent` must come before `txns`. Unknown members
/// are skipped. Transactions are returned one by one, so that a long trace is never in memory
/// twice.
package struct TraceReader {
  private var scanner: JSONScanner
  private let path: String
  private var index = 0
  private var isInTransactions = false
  private var isOver = false
  /// The text that the history starts from.
  package private(set) var startContent: [UInt16] = []
  /// The text that it ends with, if the trace has one; complete once `next` has returned nil.
  package private(set) var endContent: [UInt16]?

  /// A reader of the trace in `bytes`; `path` is for messages.
  package init(_ bytes: [UInt8], path: String) throws(CommandError) {
    scanner = JSONScanner(bytes)
    self.path = path
    do throws(ScanError) {
      try scanner.expect(UInt8(ascii: "{"))
      try readMembers(first: true)
    } catch { throw describe(error) }
    guard isInTransactions else { throw .data("\(path.shown): not a trace: it has no \"txns\"") }
  }

  /// The part of the trace that was read, 0 to 1.
  var progress: Double { scanner.count == 0 ? 1 : Double(scanner.offset) / Double(scanner.count) }

  /// The next transaction; nil after the last.
  package mutating func next() throws(CommandError) -> TraceTransaction? {
    guard isInTransactions else { return nil }
    do throws(ScanError) {
      if try endsList() { return nil }
      let transaction = try transaction()
      index += 1
      return transaction
    } catch {
      throw describe(error, "transaction \(index): ")
    }
  }

  /// Takes the comma before a transaction, or the end of the list and of the trace.
  private mutating func endsList() throws(ScanError) -> Bool {
    if index == 0 {
      guard scanner.take(UInt8(ascii: "]")) else { return false }
    } else if scanner.take(UInt8(ascii: ",")) {
      return false
    } else {
      try scanner.expect(UInt8(ascii: "]"))
    }
    isInTransactions = false
    try readMembers(first: false)
    return true
  }

  /// Reads members up to the list of transactions, or to the end.
  private mutating func readMembers(first: Bool) throws(ScanError) {
    var first = first
    while !scanner.take(UInt8(ascii: "}")) {
      if !first { try scanner.expect(UInt8(ascii: ",")) }
      first = false
      switch try key() {
      case "startContent" where index == 0 && !isOver: startContent = try scanner.string()
      case "endContent": endContent = try scanner.string()
      case "txns" where !isOver:
        try scanner.expect(UInt8(ascii: "["))
        (isInTransactions, isOver) = (true, true)
        return
      case "startContent", "txns": throw scanner.fail("\"startContent\" before \"txns\", each once")
      default: try scanner.skipValue()
      }
    }
    guard scanner.peek() == nil else { throw scanner.fail("the end of the file") }
  }

  private mutating func key() throws(ScanError) -> String {
    let key = String(decoding: try scanner.string(), as: UTF16.self)
    try scanner.expect(UInt8(ascii: ":"))
    return key
  }

  private mutating func transaction() throws(ScanError) -> TraceTransaction {
    var (time, patches): (String?, [TracePatch]) = (nil, [])
    try scanner.expect(UInt8(ascii: "{"))
    if !scanner.take(UInt8(ascii: "}")) {
      repeat {
        switch try key() {
        case "time" where scanner.takeNull(): break
        case "time": time = String(decoding: try scanner.string(), as: UTF16.self)
        case "patches": patches = try readPatches()
        default: try scanner.skipValue()
        }
      } while scanner.take(UInt8(ascii: ","))
      try scanner.expect(UInt8(ascii: "}"))
    }
    return TraceTransaction(index: index, time: time, patches: patches)
  }

  private mutating func readPatches() throws(ScanError) -> [TracePatch] {
    var patches: [TracePatch] = []
    try scanner.expect(UInt8(ascii: "["))
    if scanner.take(UInt8(ascii: "]")) { return patches }
    repeat { patches.append(try patch()) } while scanner.take(UInt8(ascii: ","))
    try scanner.expect(UInt8(ascii: "]"))
    return patches
  }

  private mutating func patch() throws(ScanError) -> TracePatch {
    try scanner.expect(UInt8(ascii: "["))
    let position = try scanner.integer()
    try scanner.expect(UInt8(ascii: ","))
    let deleted = try scanner.integer()
    try scanner.expect(UInt8(ascii: ","))
    let inserted = try scanner.string()
    try scanner.expect(UInt8(ascii: "]"))
    guard position >= 0, deleted >= 0 else {
      throw scanner.fail("a position and a count from 0 up")
    }
    return TracePatch(position: position, deleted: deleted, inserted: inserted)
  }

  private func describe(_ error: ScanError, _ place: String = "") -> CommandError {
    .data("\(path.shown): \(place)byte \(error.offset): \(error.expected) was expected")
  }
}
