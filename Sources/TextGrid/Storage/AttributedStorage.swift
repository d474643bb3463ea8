public import EditModel

/// A text with attributes that can be edited, behind four operations: the text, the attributes at a
/// place, replacing characters, and setting attributes.
///
/// Everything else has an implementation that is derived from the four, which reads the whole text. A
/// storage that knows its paragraphs replaces it. Layouts read a storage; they never change it.
public protocol AttributedStorage {
  /// UTF-16 units in the text.
  var length: Int { get }

  /// The units of `range`, which must lie inside the text.
  func units(in range: UTF16Range) -> [UInt16]

  /// The attributes of the unit at `offset`, which must be less than `length`, and the longest range
  /// around it that has them.
  func attributes(at offset: Int) -> (attributes: AttributeSet, range: UTF16Range)

  /// Replaces characters. The new ones inherit attributes: those of the first replaced unit, else of
  /// the unit before, else of the unit after.
  ///
  /// - Parameters:
  ///   - range: The replaced range, in UTF-16 units.
  ///   - text: The new text.
  /// - Throws: `EditError` if the range is not inside the text, or the text becomes too long.
  mutating func replaceCharacters(in range: UTF16Range, with text: UTF16Text) throws(EditError)

  /// Replaces all attributes of the units of a range.
  ///
  /// - Parameters:
  ///   - attributes: The attributes that each unit has then.
  ///   - range: The range, in UTF-16 units. If it is empty, nothing changes.
  /// - Throws: `EditError` if the range is not inside the text.
  mutating func setAttributes(_ attributes: AttributeSet, in range: UTF16Range) throws(EditError)

  /// Paragraphs in the text: terminators + 1.
  var paragraphCount: Int { get }

  /// The range of a paragraph with its terminator, in UTF-16 units. `index` must be less than
  /// `paragraphCount`.
  func paragraphRange(at index: Int) -> UTF16Range

  /// The index of the paragraph that holds `offset`. A paragraph's start belongs to it, the text's end
  /// to the last one.
  func paragraphIndex(at offset: Int) -> Int

  /// What a paragraph is known by through edits; nil if the storage has no identifiers. A layout keeps
  /// the rows of paragraphs that have one.
  func paragraphID(at index: Int) -> ParagraphID?
}

// Derived from the text alone. O(length).
extension AttributedStorage {
  /// Paragraphs in the text. O(length).
  public var paragraphCount: Int { paragraphEnds.count + 1 }

  /// The range of a paragraph with its terminator. O(length).
  public func paragraphRange(at index: Int) -> UTF16Range {
    let ends = paragraphEnds
    return UTF16Range(
      (index == 0 ? 0 : ends[index - 1])..<(index < ends.count ? ends[index] : length))
  }

  /// The index of the paragraph that holds `offset`. O(length).
  public func paragraphIndex(at offset: Int) -> Int { paragraphEnds.count { $0 <= offset } }

  /// Nil.
  public func paragraphID(at index: Int) -> ParagraphID? { nil }

  /// The offsets after the terminators.
  private var paragraphEnds: [Int] {
    let units = units(in: UTF16Range(0..<length))
    return units.indices.compactMap { index in
      switch units[index] {
      case 0x0A, 0x2029: index + 1
      case 0x0D: index + 1 < units.count && units[index + 1] == 0x0A ? nil : index + 1
      default: nil
      }
    }
  }
}

extension AttributedStorage {
  /// UTF-16 units of the terminator at the end of a paragraph. Only the last one has none.
  func terminatorLength(of paragraph: UTF16Range, at index: Int) -> Int {
    guard index < paragraphCount - 1, !paragraph.isEmpty else { return 0 }
    let tail = units(
      in: UTF16Range(max(paragraph.location, paragraph.upperBound - 2)..<paragraph.upperBound))
    return tail == [0x0D, 0x0A] ? 2 : 1
  }
}
