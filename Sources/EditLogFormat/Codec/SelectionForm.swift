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
    /// Other ranges, at least one.
    case ranges([UTF16Range])
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
  init(_ ranges: [UTF16Range], in edited: UTF16Range) {
    guard let first = ranges.first else {
      self = .none
      return
    }
    guard ranges.count == 1 else {
      self = .ranges(ranges)
      return
    }
    let isCaret = first.isEmpty
    self =
      if isCaret, first.location == edited.location {
        .start
      } else if isCaret, first.location == edited.upperBound {
        .end
      } else {
        first == edited ? .whole : .ranges(ranges)
      }
  }

  var isRelative: Bool { if case .ranges = self { false } else { true } }

  func ranges(in edited: UTF16Range) -> [UTF16Range] {
    switch self {
    case .none: []
    case .start: [UTF16Range(edited.location..<edited.location)]
    case .end: [UTF16Range(edited.upperBound..<edited.upperBound)]
    case .whole: [edited]
    case .ranges(let ranges): ranges
    }
  }

  /// A number: 0 to 3 for the relative sides, else 3 more than the number of ranges; then each range.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .none: writer.write(0)
    case .start: writer.write(1)
    case .end: writer.write(2)
    case .whole: writer.write(3)
    case .ranges(let ranges):
      writer.write(count: ranges.count + 3)
      var end = 0
      for range in ranges {
        writer.write(zigzag: Int64(range.location - end))
        writer.write(count: range.length)
        end = range.upperBound
      }
    }
  }

  init(_ reader: inout ByteReader) throws(CodecError) {
    let number = try reader.readCount(max: EditSelection.rangeCountMax + 3)
    switch number {
    case 0: self = .none
    case 1: self = .start
    case 2: self = .end
    case 3: self = .whole
    default: self = .ranges(try Self.readRanges(number - 3, &reader))
    }
  }

  private static func readRanges(
    _ count: Int, _ reader: inout ByteReader
  ) throws(CodecError) -> [UTF16Range] {
    var ranges: [UTF16Range] = []
    var end: Int64 = 0
    for _ in 0..<count {
      let place = reader
      let (location, overflow) = end.addingReportingOverflow(try reader.readZigzag())
      guard !overflow, (0...Int64(EditAction.textLengthMax)).contains(location) else {
        throw place.error(.tooLarge)
      }
      let length = try reader.readCount(max: EditAction.textLengthMax - Int(location))
      end = location + Int64(length)
      ranges.append(UTF16Range(Int(location)..<Int(end)))
    }
    return ranges
  }
}
