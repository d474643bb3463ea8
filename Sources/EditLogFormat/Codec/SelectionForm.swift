import EditModel

/// A selection as it is written: each side by where it lies in the edit, or as ranges.
///
/// Carets that move with the typing have the same form in each edit, so a block of them takes almost
/// no space. The layout is in the article Blocks.
struct SelectionForm: Equatable {
  /// The ranges before the edit, or those after it. The edited range is that of the same text.
  enum Side: Equatable {
    /// Not known.
    case none
    /// A caret at the start of the edited range.
    case start
    /// A caret at the end of the edited range.
    case end
    /// The edited range.
    case whole
    /// The edited range, reversed.
    case reversedWhole
    /// Other ranges, at least one.
    case ranges([SelectedRange])
  }

  /// The ranges in the text before the edit.
  var before: Side
  /// The ranges in the text after the edit.
  var after: Side

  /// No selection.
  static let none = SelectionForm(before: .none, after: .none)

  init(before: Side, after: Side) { (self.before, self.after) = (before, after) }

  /// The form of an edit's selection: the first of each side's that gives its ranges.
  init(_ selection: EditSelection?, of action: EditAction) {
    before = Side(selection?.before ?? [], in: action.range)
    after = Side(selection?.after ?? [], in: action.editedRange)
  }

  /// True if it has no ranges of its own, and so may be that of the next edit too.
  var isRelative: Bool { before.isRelative && after.isRelative }

  /// The selection of an edit with this form; nil if it is none.
  ///
  /// - Throws: `CodecError` at `place` if the ranges are not those of a selection.
  func selection(of action: EditAction, at place: ByteReader) throws(CodecError) -> EditSelection? {
    if self == .none { return nil }
    do {
      return try EditSelection(
        before: before.ranges(in: action.range), after: after.ranges(in: action.editedRange))
    } catch { throw place.error(.action) }
  }

  /// Appends both sides.
  func write(to writer: inout ByteWriter) {
    before.write(to: &writer)
    after.write(to: &writer)
  }

  /// Reads both sides.
  init(_ reader: inout ByteReader) throws(CodecError) {
    before = try Side(&reader)
    after = try Side(&reader)
  }

  /// The maximum size in bytes of a selection with `count` ranges: two varints each, and the forms.
  static func sizeMax(rangeCount count: Int) -> Int { count * 2 * 5 + 4 }
}

extension SelectionForm.Side {
  init(_ ranges: [SelectedRange], in edited: UTF16Range) {
    guard let first = ranges.first else {
      self = .none
      return
    }
    guard ranges.count == 1 else {
      self = .ranges(ranges)
      return
    }
    let range = first.range
    self =
      if range.isEmpty, range.location == edited.location {
        .start
      } else if range.isEmpty, range.location == edited.upperBound {
        .end
      } else if range == edited {
        first.isReversed ? .reversedWhole : .whole
      } else {
        .ranges(ranges)
      }
  }

  var isRelative: Bool { if case .ranges = self { false } else { true } }

  func ranges(in edited: UTF16Range) -> [SelectedRange] {
    switch self {
    case .none: []
    case .start: [SelectedRange(edited.location..<edited.location)]
    case .end: [SelectedRange(edited.upperBound..<edited.upperBound)]
    case .whole: [SelectedRange(edited)]
    case .reversedWhole: [SelectedRange(edited, isReversed: true)]
    case .ranges(let ranges): ranges
    }
  }

  /// The number of a reversed edited range: the one after those of ranges of which none is reversed.
  private static let reversedNumber = EditSelection.rangeCountMax + 4

  /// A number: 0 to 3 for the relative sides, else 3 more than the number of ranges; then each range. If
  /// one is reversed, the number is `reversedNumber` for the edited range, else that much more than the
  /// number of ranges.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .none: writer.write(0)
    case .start: writer.write(1)
    case .end: writer.write(2)
    case .whole: writer.write(3)
    case .reversedWhole: writer.write(count: Self.reversedNumber)
    case .ranges(let ranges):
      let haveDirections = ranges.contains(where: \.isReversed)
      writer.write(count: ranges.count + (haveDirections ? Self.reversedNumber : 3))
      var end = 0
      for selected in ranges {
        let range = selected.range
        writer.write(zigzag: Int64(range.location - end))
        writer.write(
          count: haveDirections ? range.length << 1 | (selected.isReversed ? 1 : 0) : range.length)
        end = range.upperBound
      }
    }
  }

  init(_ reader: inout ByteReader) throws(CodecError) {
    let place = reader
    let number = try reader.readCount(max: Self.reversedNumber + EditSelection.rangeCountMax)
    switch number {
    case 0: self = .none
    case 1: self = .start
    case 2: self = .end
    case 3: self = .whole
    case Self.reversedNumber: self = .reversedWhole
    case ..<Self.reversedNumber:
      self = .ranges(try Self.readRanges(number - 3, haveDirections: false, &reader))
    default:
      let ranges = try Self.readRanges(
        number - Self.reversedNumber, haveDirections: true, &reader)
      // Otherwise the shorter number.
      guard ranges.contains(where: \.isReversed) else { throw place.error(.overlong) }
      self = .ranges(ranges)
    }
  }

  private static func readRanges(
    _ count: Int, haveDirections: Bool, _ reader: inout ByteReader
  ) throws(CodecError) -> [SelectedRange] {
    var ranges: [SelectedRange] = []
    var end: Int64 = 0
    for _ in 0..<count {
      let place = reader
      let (location, overflow) = end.addingReportingOverflow(try reader.readZigzag())
      guard !overflow, (0...Int64(EditAction.textLengthMax)).contains(location) else {
        throw place.error(.tooLarge)
      }
      let lengthMax = EditAction.textLengthMax - Int(location)
      let number = try reader.readCount(max: haveDirections ? lengthMax << 1 | 1 : lengthMax)
      let length = haveDirections ? number >> 1 : number
      let isReversed = haveDirections && number & 1 == 1
      // A caret has no direction.
      guard !isReversed || length > 0 else { throw place.error(.overlong) }
      end = location + Int64(length)
      ranges.append(SelectedRange(Int(location)..<Int(end), isReversed: isReversed))
    }
    return ranges
  }
}
