import EditModel
import EditProtocol

/// Edits that one undo takes back together, for one line of `log`.
struct EditRun: Hashable, Sendable {
  /// The sequence numbers of the first and the last edit.
  private(set) var sequences: ClosedRange<SequenceNumber>
  /// The times of the first and the last edit.
  private(set) var times: ClosedRange<Timestamp>
  /// The origin and the author of the first edit.
  private(set) var (origin, author): (Origin, String?)
  /// True if the edit before the first one belongs to the run too.
  private(set) var isContinuation: Bool
  /// The replaced ranges, in the order of time.
  private var places: [Replacement]
  /// The UTF-16 units of the places that are not kept.
  private var (restInserted, restRemoved) = (0, 0)
  /// The attribute change, if no text changed.
  private let formatting: String?

  /// The maximum number of places that are kept.
  private static let placeCountMax = 4

  init(_ edit: EditPreview) {
    sequences = edit.sequence...edit.sequence
    times = edit.time...edit.time
    (origin, author, isContinuation) = (edit.origin, edit.author, edit.isContinuation)
    places = edit.replacement.map { [$0] } ?? []
    formatting = Self.formatting(of: edit)
  }

  /// `set bold`. An undo or a redo sets the attributes that were there before, not those that it takes
  /// back, so their names are left out.
  private static func formatting(of edit: EditPreview) -> String? {
    guard let kind = edit.attributeChange else { return nil }
    if [.undo, .redo].contains(edit.origin) { return "formatting" }
    let names = edit.attributeNames.map(\.shown).joined(separator: ", ")
    return "\(kind.rawValue) \(names.isEmpty ? "no attributes" : names)"
  }

  /// Adds the edit after the last one.
  mutating func append(_ edit: EditPreview) {
    sequences = sequences.lowerBound...max(sequences.lowerBound, edit.sequence)
    times = times.lowerBound...max(times.lowerBound, edit.time)
    guard let replacement = edit.replacement else { return }
    if let last = places.last, let both = last.followed(by: replacement) {
      places[places.count - 1] = both
    } else {
      places.append(replacement)
      limitPlaces()
    }
  }

  /// Adds the edit before the first one.
  mutating func prepend(_ edit: EditPreview) {
    sequences = min(edit.sequence, sequences.upperBound)...sequences.upperBound
    times = min(edit.time, times.upperBound)...times.upperBound
    (origin, author, isContinuation) = (edit.origin, edit.author, edit.isContinuation)
    guard let replacement = edit.replacement else { return }
    if let first = places.first, let both = replacement.followed(by: first) {
      places[0] = both
    } else {
      places.insert(replacement, at: 0)
      limitPlaces()
    }
  }

  /// Removes a place from the middle: the first and the last ones are shown.
  private mutating func limitPlaces() {
    guard places.count > Self.placeCountMax else { return }
    let place = places.remove(at: Self.placeCountMax / 2)
    restInserted += place.inserted.count
    restRemoved += place.removed.count
  }

  /// UTF-16 units that the run inserted, and that it removed.
  var insertedLength: Int { places.reduce(restInserted) { $0 + $1.inserted.count } }
  var removedLength: Int { places.reduce(restRemoved) { $0 + $1.removed.count } }

  /// The replaced range, in the text before the run. Nil if there is not exactly one.
  var range: UTF16Range? {
    guard places.count == 1, restInserted + restRemoved == 0 else { return nil }
    return UTF16Range(places[0].location..<places[0].location + places[0].removed.count)
  }

  /// The verb for the run, in the past tense.
  var verb: String {
    switch origin {
    case .typing, .removal:
      insertedLength > 0
        ? "typed" : removedLength > 0 || formatting == nil ? "deleted" : "formatted"
    case .paste: "pasted"
    case .undo: "undid"
    case .redo: "redid"
    case .load: "loaded"
    case .format: "formatted"
    case .program, .external: origin.name
    }
  }

  /// The maximum length of each text of a preview, in UTF-16 units.
  static let textMax = 200

  /// The column of `excerptCell`.
  static let excerptColumn = Table.Column(cutWidth: 12, widthMax: 60)

  /// A cell with the new and the removed text.
  var excerptCell: Table.Cell {
    let hasText = insertedLength + removedLength > 0
    return Table.Cell(hasText ? .plain : .faint) { excerpt(width: $0) }
  }

  /// The new text, and the removed text, in at most `width` columns of the terminal.
  private func excerpt(width: Int?) -> String {
    let texts = [places.map(\.inserted), places.map(\.removed)].map { texts in
      texts.filter { !$0.known.isEmpty }
    }
    switch (texts[0].isEmpty, texts[1].isEmpty) {
    case (true, true): return Excerpt.cut(formatting ?? "", to: width)
    case (false, true): return Self.quoted(texts[0], width: width)
    case (true, false): return Self.quoted(texts[1], width: width)
    case (false, false):
      let (new, old) = (Self.quoted(texts[0], width: nil), Self.quoted(texts[1], width: nil))
      guard let width else { return new + Self.infix + old }
      let room = width - Self.infix.count
      guard room >= 2 * Self.quoteWidthMin else { return Self.quoted(texts[0], width: width) }
      let newRoom = max(room / 2, room - old.displayWidth)
      let shownNew = Self.quoted(texts[0], width: newRoom)
      return shownNew + Self.infix + Self.quoted(texts[1], width: room - shownNew.displayWidth)
    }
  }

  private static let (infix, quoteWidthMin) = (" for ", 5)

  private static func quoted(_ texts: [CutText], width: Int?) -> String {
    guard texts.count > 1 else { return texts[0].quoted(width: width) }
    let gap = CutText(" … ".utf16, count: 3)
    return texts.dropFirst().reduce(texts[0]) { $0 + gap + $1 }.quoted(width: width)
  }
}

extension EditPreview {
  /// Nil if the edit does not change the text.
  fileprivate var replacement: Replacement? {
    guard let text else { return nil }
    return Replacement(
      location: range.location,
      removed: CutText(removed?.units ?? [], count: removedLength),
      inserted: CutText(text.units, count: insertedLength))
  }
}
