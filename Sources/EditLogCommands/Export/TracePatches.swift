import EditJSON
import EditModel
import EditProtocol
import TextState

/// The transactions of a keystroke trace, made from the edits of a history.
///
/// Edits of one transaction with the same time make one transaction of the trace. Places and lengths become
/// code points. Edits of attributes are left out.
struct TracePatches {
  private var map = CodePointMap()
  private(set) var state: TextState
  private var patches: [JSON] = []
  private var key: (transaction: SequenceNumber, time: Timestamp)?
  /// Edits that were left out, because they change no text.
  private(set) var skippedCount = 0
  private(set) var count = 0

  /// The trace of a history from a version on.
  init(from state: TextState) {
    self.state = state
    map.replace(0..<0, with: state.text.units)
  }

  /// Adds an edit. Returns the transaction before it, if that has ended.
  ///
  /// - Throws: `CommandError` (65) if the edit splits a character, which code points cannot say.
  mutating func add(_ edit: Edit) throws -> [UInt8]? {
    let ended = key.map { $0 == (edit.transaction, edit.time) } == false ? take() : nil
    key = (edit.transaction, edit.time)
    guard let replacement = edit.action.replacement else {
      skippedCount += 1
      try state.apply(edit.action)
      return ended
    }
    let range = edit.action.range
    guard let lower = map.codePoint(at: range.location),
      let upper = map.codePoint(at: range.upperBound)
    else { throw Self.refusal(of: edit) }
    try state.apply(edit.action)
    guard !state.joinsSurrogates(at: range.location),
      !state.joinsSurrogates(at: edit.action.editedRange.upperBound)
    else { throw Self.refusal(of: edit) }
    map.replace(lower..<upper, with: replacement.units)
    patches.append([JSON(lower), JSON(upper - lower), JSON(replacement)])
    count += 1
    return ended
  }

  /// The last transaction.
  mutating func finish() -> [UInt8]? { take() }

  private mutating func take() -> [UInt8]? {
    guard let key, !patches.isEmpty else { return nil }
    defer { patches = [] }
    let transaction: JSON = ["time": JSON(key.time.rfc3339), "patches": .array(patches)]
    return transaction.serialized()
  }

  private static func refusal(of edit: Edit) -> CommandError {
    .data(
      """
      edit \(edit.sequence) splits or joins the two halves of a character, which a trace in code points \
      cannot say; export the history with `log --json`
      """)
  }
}

extension TextState {
  /// True if the units before and after a place are the halves of one character.
  fileprivate func joinsSurrogates(at offset: Int) -> Bool {
    guard offset > 0, offset < length else { return false }
    let units = text(in: UTF16Range(offset - 1..<offset + 1)).units
    return UTF16.isLeadSurrogate(units[0]) && UTF16.isTrailSurrogate(units[1])
  }
}
