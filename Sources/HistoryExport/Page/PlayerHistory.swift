import EditJSON
public import EditModel
import EditProtocol
public import Projections
import TextState

/// A history as the player of a page reads it: columns, compressed.
///
/// Entries are added in order, from the first of the history on. Undo steps and blame are those of
/// `UndoHistory`, so that the page shows what the command line shows.
public struct PlayerHistory: Sendable {
  /// The version that the page starts with.
  private let first: SequenceNumber
  private var edits = EditColumns()
  private var times: TimeColumns
  private var writers = WriterColumns()
  private var blame: BlameRecorder
  private var costs = ColumnWriter()
  private var lastCost: SequenceNumber = 0
  private var saves = ColumnWriter()
  private var lastSave: SequenceNumber = 0
  private var marks: [JSON] = []
  private var start: [UInt16] = []
  /// The number of edits that the page shows.
  public private(set) var count = 0

  /// A page without edits.
  ///
  /// - Parameters:
  ///   - first: The version that the page starts with.
  ///   - hasExactTimes: True if times are kept to the nanosecond, false to round them to 10 ms.
  public init(after first: SequenceNumber = 0, hasExactTimes: Bool = false) {
    self.first = first
    times = TimeColumns(isExact: hasExactTimes)
    blame = BlameRecorder(after: first)
  }

  /// Adds the next entry. O(size of the edit), or O(pieces of blame) if it ends an undo.
  ///
  /// - Parameter entry: The entry.
  /// - Throws: `ProjectionError` if it is not the next one, or does not fit the text.
  public mutating func add(_ entry: HistoryEntry) throws(ProjectionError) {
    switch entry {
    case .edit(let edit): try add(edit)
    case .event(let event): add(event)
    }
  }

  private mutating func add(_ edit: Edit) throws(ProjectionError) {
    guard edit.sequence == blame.state.sequence + 1 else {
      throw .outOfOrder(expected: blame.state.sequence + 1, found: edit.sequence)
    }
    if edit.sequence == first + 1 { start = blame.state.text.units }
    do { try blame.add(edit) } catch { throw .refused(sequence: edit.sequence, error) }
    guard edit.sequence > first else { return }
    edits.append(edit.action)
    times.append(edit.time)
    writers.append(edit)
    count += 1
  }

  private mutating func add(_ event: HistoryEvent) {
    blame.add(event)
    switch event.kind {
    case .session(let description): writers.note(event.session, description)
    case .mark(let label, let at):
      guard at >= first else { return }
      marks.append(["label": JSON(label), "at": JSON(at)])
    case .saved:
      guard event.after >= first, event.after > lastSave else { return }
      saves.append(event.after - lastSave)
      lastSave = event.after
    default: break
    }
  }

  /// Adds what a large deletion cost. Deletions are added in the order of their edits.
  ///
  /// - Parameters:
  ///   - sequence: The edit.
  ///   - units: UTF-16 units that it removed.
  ///   - paragraphs: Paragraphs that it removed.
  ///   - total: Nanoseconds, replayed.
  ///   - linear: Nanoseconds of the linear algorithm, if measured.
  ///   - live: Nanoseconds in the daemon, if measured.
  public mutating func addCost(
    of sequence: SequenceNumber, units: Int, paragraphs: Int, total: Int64, linear: Int64?,
    live: Int64?
  ) {
    guard sequence > first, sequence > lastCost else { return }
    costs.append(sequence - lastCost)
    lastCost = sequence
    costs.append(units)
    costs.append(paragraphs)
    costs.append(Int(clamping: total))
    for optional in [linear, live] { costs.append(optional.map { Int(clamping: $0) + 1 } ?? 0) }
  }

  /// The bytes that the player unpacks.
  ///
  /// - Parameter document: The document's name.
  /// - Returns: A zlib stream of the columns, each with its length before it.
  /// - Throws: `DeflateError`.
  public mutating func packed(document: String) throws(DeflateError) -> [UInt8] {
    if count == 0 { start = blame.state.text.units }
    let (pieces, moves) = blame.finish()
    let head: JSON = [
      "document": JSON(document), "edits": JSON(count), "from": JSON(first),
      "time": .integer(times.first), "unit": .integer(times.unit), "writers": writers.json,
      "marks": .array(marks),
    ]
    var bytes = ColumnWriter()
    bytes.append(part: head.serialized())
    for column in edits.finish() + times.columns { bytes.append(part: column) }
    bytes.append(part: writers.finish())
    bytes.append(part: pieces)
    bytes.append(part: blame.undo.tree.columns)
    bytes.append(part: moves)
    bytes.append(part: costs.bytes)
    bytes.append(part: saves.bytes)
    bytes.append(units: start)
    bytes.append(units: edits.text)
    return try Deflate.packed(bytes.bytes)
  }

}
