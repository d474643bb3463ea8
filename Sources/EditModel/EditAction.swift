/// One edit action: what was replaced by what, in the vocabulary of `NSTextStorage`.
///
/// The range counts in the text before the edit. An action that exists is well formed: it does
/// something, and its attribute runs cover exactly the units it leaves. Whether it fits a text
/// is asked with `validate(textLength:)`.
public struct EditAction: Hashable, Sendable {
  /// The longest text a document may have, in UTF-16 units.
  @inlinable public static var textLengthMax: Int { Int(Int32.max) }

  /// The units the edit replaces or formats, in the text before the edit.
  public let range: UTF16Range
  /// What takes the range's place; nil where the edit leaves the characters alone.
  public let replacement: UTF16Text?
  /// What happens to attributes.
  public let attributes: AttributeChange

  /// An action on `range`.
  ///
  /// - Throws: `EditError` where neither characters nor attributes would change, or where the
  ///   attribute runs do not cover the resulting units exactly.
  public init(
    range: UTF16Range, replacement: UTF16Text?, attributes: AttributeChange = .inherit
  ) throws(EditError) {
    (self.range, self.replacement, self.attributes) = (range, replacement, attributes)
    guard !actions.isEmpty else { throw .noAction }
    if case .set(let runs) = attributes { try checkCover(runs) }
    if case .merge(let runs) = attributes { try checkCover(runs) }
  }

  /// The replacement of characters that inherit their attributes.
  public init(replacing range: UTF16Range, with replacement: UTF16Text) {
    (self.range, self.replacement, attributes) = (range, replacement, .inherit)
  }

  /// What the edit changes.
  @inlinable public var actions: EditActions {
    var actions: EditActions = replacement == nil ? [] : .characters
    if case .inherit = attributes { return actions }
    actions.insert(.attributes)
    return actions
  }

  /// UTF-16 units the edit leaves in place of its range.
  @inlinable public var newLength: Int { replacement?.count ?? range.length }

  /// New length minus old length of the edited range, in UTF-16 units.
  @inlinable public var changeInLength: Int { newLength - range.length }

  /// The edited range in the text after the edit.
  @inlinable public var editedRange: UTF16Range {
    UTF16Range(range.location..<range.location + newLength)
  }

  /// Checks that the action fits a text of `textLength` UTF-16 units.
  ///
  /// - Throws: `EditError` where the range ends behind the text, or the text would grow past
  ///   `textLengthMax`.
  @inlinable public func validate(textLength: Int) throws(EditError) {
    try Self.validate(range, newLength: newLength, textLength: textLength)
  }

  /// Checks that `newLength` UTF-16 units fit into a text of `textLength` in the place of `range`.
  ///
  /// - Throws: as `validate(textLength:)`.
  @inlinable public static func validate(
    _ range: UTF16Range, newLength: Int, textLength: Int
  ) throws(EditError) {
    guard range.upperBound <= textLength else {
      throw .rangeOutsideText(range: range, textLength: textLength)
    }
    guard newLength <= textLengthMax - (textLength - range.length) else {
      throw .textTooLong(changeInLength: newLength - range.length, textLength: textLength)
    }
  }

  private func checkCover(_ runs: [AttributeRun]) throws(EditError) {
    var covered = 0
    for run in runs {
      let sum = covered.addingReportingOverflow(run.length)
      guard run.length > 0, !sum.overflow else {
        throw .runsDoNotCover(length: newLength, covered: covered)
      }
      covered = sum.partialValue
    }
    guard covered == newLength else { throw .runsDoNotCover(length: newLength, covered: covered) }
  }
}
