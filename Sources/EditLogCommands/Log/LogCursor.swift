import EditJSON
import EditModel
import EditProtocol

/// A place in a history after one of its entries, as an opaque word that stays valid through restarts and
/// renamings. It has the time of the entry, so that a cursor of another history is noticed.
struct LogCursor: Hashable, Sendable {
  /// The place after the entry.
  var position: HistoryPosition
  /// The time of the entry.
  var time: Timestamp

  /// The first byte of this form.
  private static let version: UInt8 = 1
  private static let numberCount = 3

  /// The place after an entry.
  init(position: HistoryPosition, time: Timestamp) {
    (self.position, self.time) = (position, time)
  }

  /// Reads a cursor; nil if the text is not one.
  init?(_ text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count == 2 * (1 + 8 * Self.numberCount),
      digits[0] * 16 + digits[1] == Int(Self.version)
    else { return nil }
    let numbers = (0..<Self.numberCount).map { index in
      digits[(2 + 16 * index)..<(18 + 16 * index)].reduce(UInt64(0)) { $0 << 4 | UInt64($1) }
    }
    guard let events = Int(exactly: numbers[1]) else { return nil }
    position = HistoryPosition(after: numbers[0], events: events)
    time = Timestamp(nanoseconds: Int64(bitPattern: numbers[2]))
  }

  /// The cursor as `--show-cursor` prints it. 50 hexadecimal digits.
  var text: String {
    let numbers = [
      position.after, UInt64(clamping: position.events), UInt64(bitPattern: time.nanoseconds),
    ]
    return String(
      hexadecimal: numbers.reduce(into: [Self.version]) { bytes, number in
        for shift in stride(from: 56, through: 0, by: -8) {
          bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
      })
  }

  static let codec = Codec<Self>(
    { $0 }, .required("cursor", \.self, .cursor))
}

extension Codec<LogCursor> {
  /// The text of a cursor.
  fileprivate static let cursor = Codec(
    schema: ["type": "string", "pattern": "^[0-9a-f]{50}$"],
    decode: { (json) throws(ShapeError) in
      guard let cursor = LogCursor(try json.asString()) else {
        throw ShapeError(mustBe: "a cursor as `log --show-cursor` prints it", found: json)
      }
      return cursor
    }, encode: { JSON($0.text) })
}

/// The place of an entry in its history.
struct LogPlace: Hashable, Sendable {
  var isEdit: Bool
  /// The edit's number; of an event, that of the edit before it.
  var sequence: SequenceNumber
  var time: Timestamp

  fileprivate init(_ edit: SequenceNumber, _ time: Timestamp) {
    (isEdit, sequence, self.time) = (true, edit, time)
  }
  fileprivate init(_ event: HistoryEvent) {
    (isEdit, sequence, time) = (false, event.after, event.time)
  }
}

/// An entry of a history, whole or not.
protocol PlacedEntry {
  var logPlace: LogPlace { get }
}

extension HistoryEntry: PlacedEntry {
  var logPlace: LogPlace {
    switch self {
    case .edit(let edit): LogPlace(edit.sequence, edit.time)
    case .event(let event): LogPlace(event)
    }
  }
}

extension EntryPreview: PlacedEntry {
  var logPlace: LogPlace {
    switch self {
    case .edit(let edit): LogPlace(edit.sequence, edit.time)
    case .event(let event): LogPlace(event)
    }
  }
}

/// Follows the places of entries that are read one after the other, and leaves out those before a cursor.
struct CursorReader {
  /// The place after the newest entry that was read; nil if none was.
  private(set) var newest: LogCursor?
  private var position: HistoryPosition
  /// The place from which entries are passed on. Nil for all.
  private let start: HistoryPosition?

  /// A reader of entries after an edit, oldest first. Those up to `start` are left out.
  init(after: SequenceNumber, start: HistoryPosition?) {
    (position, self.start) = (HistoryPosition(after: after), start)
  }

  /// The entries of the next page that are not left out, of those that are wanted. The cursor stays before
  /// unwanted ones at the end.
  mutating func read<Entry: PlacedEntry>(
    _ entries: [Entry], where isWanted: (LogPlace) -> Bool = { _ in true }
  ) -> [Entry] {
    entries.filter { entry in
      let place = entry.logPlace
      let isNext = place.isEdit || place.sequence != position.after
      position = HistoryPosition(
        after: place.sequence, events: place.isEdit ? 0 : isNext ? 1 : position.events + 1)
      guard isWanted(place) else { return false }
      newest = LogCursor(position: position, time: place.time)
      return start.map { $0.isBefore(position) } ?? true
    }
  }

  /// Notes the first page of entries that come newest first.
  mutating func note<Entry: PlacedEntry>(newestFirst entries: [Entry]) {
    guard newest == nil, let first = entries.first?.logPlace else { return }
    let events = entries.prefix {
      !$0.logPlace.isEdit && $0.logPlace.sequence == first.sequence
    }.count
    newest = LogCursor(
      position: HistoryPosition(after: first.sequence, events: events), time: first.time)
  }
}

extension HistoryPosition {
  fileprivate func isBefore(_ other: HistoryPosition) -> Bool {
    (after, events) < (other.after, other.events)
  }
}
