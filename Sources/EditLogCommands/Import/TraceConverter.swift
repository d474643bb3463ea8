import EditModel
import EditProtocol

/// Turns the transactions of a trace into edits. Code points become UTF-16 units. Each patch is
/// checked against the text after the patches before it.
struct TraceConverter {
  private var map = CodePointMap()
  private let path: String
  private var lastTime: (text: String, time: Timestamp)?
  /// An insertion of more units counts as pasted, and so does one of two lines or more.
  static let typedUnitsMax = 64

  /// A converter that starts from the empty text; `path` is for messages.
  init(path: String) { self.path = path }

  /// UTF-16 units in the text so far.
  var utf16Count: Int { map.utf16Count }

  /// The edit that inserts the trace's start text; nil if that is empty. It has the time of the transaction
  /// after it.
  mutating func start(
    from content: [UInt16], before next: TraceTransaction?
  ) throws(CommandError) -> AppendEdit? {
    guard !content.isEmpty else { return nil }
    let patch = TracePatch(position: 0, deleted: 0, inserted: content)
    var edit = try edit(patch, transaction: -1, index: 0)
    edit.origin = .load
    if let next { edit.time = try time(of: next) }
    return edit
  }

  /// The edits of a transaction.
  ///
  /// - Throws: `CommandError` (65) that names transaction and patch, if a patch reaches past the
  ///   end of the text or the time is not valid.
  mutating func edits(of transaction: TraceTransaction) throws(CommandError) -> [AppendEdit] {
    let time = try time(of: transaction)
    var edits: [AppendEdit] = []
    edits.reserveCapacity(transaction.patches.count)
    for (index, patch) in transaction.patches.enumerated() {
      var edit = try edit(patch, transaction: transaction.index, index: index)
      edit.time = time
      edits.append(edit)
    }
    return edits
  }

  private mutating func edit(
    _ patch: TracePatch, transaction: Int, index: Int
  ) throws(CommandError) -> AppendEdit {
    let (end, overflow) = patch.position.addingReportingOverflow(patch.deleted)
    guard !overflow, end <= map.count else {
      throw .data(
        """
        \(path.shown): transaction \(transaction), patch \(index): position \(patch.position) and \
        \(patch.deleted) deleted reach past the text, which has \(map.count) code points there
        """)
    }
    let lower = map.utf16Offset(of: patch.position)
    let upper = patch.deleted == 0 ? lower : map.utf16Offset(of: end)
    map.replace(patch.position..<end, with: patch.inserted)
    guard map.utf16Count <= EditAction.textLengthMax else {
      throw .data(
        """
        \(path.shown): transaction \(transaction), patch \(index): the text would have more than \
        \(EditAction.textLengthMax) UTF-16 units
        """)
    }
    let action = EditAction(
      replacing: UTF16Range(lower..<upper), with: UTF16Text(units: patch.inserted))
    return AppendEdit(
      action: action, origin: Self.origin(of: patch), transaction: Int64(transaction))
  }

  private static func origin(of patch: TracePatch) -> Origin {
    if patch.inserted.isEmpty { return patch.deleted > 0 ? .removal : .typing }
    if patch.inserted.count > typedUnitsMax { return .paste }
    // A typed line break is the last unit of its insertion. Text after a break was pasted with it.
    return patch.inserted.dropLast().contains(0x0A) ? .paste : .typing
  }

  private mutating func time(of transaction: TraceTransaction) throws(CommandError) -> Timestamp? {
    guard let text = transaction.time else { return nil }
    if let lastTime, lastTime.text == text { return lastTime.time }
    guard let time = Timestamp(rfc3339: text) else {
      throw .data(
        "\(path.shown): transaction \(transaction.index): '\(Excerpt.line(text, width: 40))' is not a time"
      )
    }
    lastTime = (text, time)
    return time
  }
}
