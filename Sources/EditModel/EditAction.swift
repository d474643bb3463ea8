/// One edit action: the replacement of a range, in the terms of `NSTextStorage`.
///
/// The range refers to the text before the edit. Every action is well formed: it changes characters
/// or attributes, and its attribute runs cover exactly the units in the range after the edit.
/// `validate(textLength:)` checks whether it fits a text.
public struct EditAction: Hashable, Sendable {
  /// The maximum length of a document's text, in UTF-16 units.
  @inlinable public static var textLengthMax: Int { Int(Int32.max) }

  /// The range that is replaced or formatted, in the text before the edit.
  public let range: UTF16Range
  /// The text that replaces the range; nil if the edit does not change the text.
  public let replacement: UTF16Text?
  /// The change of attributes.
  public let attributes: AttributeChange

  /// An action on `range`.
  ///
  /// - Throws: `EditError` if neither characters nor attributes would change, or if the attribute
  ///   runs do not cover the resulting units exactly.
  public init(
    range: UTF16Range, replacement: UTF16Text?, attributes: AttributeChange = .inherit
  ) throws(EditError) {
    (self.range, self.replacement, self.attributes) = (range, replacement, attributes)
    try Self.check(
      newLength: replacement?.count ?? range.length, hasText: replacement != nil, attributes)
  }

  /// Checks the parts of an action, for which only the length of the text is needed.
  ///
  /// - Throws: as `init(range:replacement:attributes:)`.
  private static func check(
    newLength: Int, hasText: Bool, _ attributes: AttributeChange
  ) throws(EditError) {
    switch attributes {
    case .inherit: guard hasText else { throw .noAction }
    case .set(let runs), .merge(let runs): try check(runs, cover: newLength)
    case .remove: break
    }
  }

  /// A replacement of characters. The new units inherit their attributes.
  public init(replacing range: UTF16Range, with replacement: UTF16Text) {
    (self.range, self.replacement, attributes) = (range, replacement, .inherit)
  }

  /// The kinds of changes: characters, attributes or both.
  @inlinable public var actions: EditActions {
    var actions: EditActions = replacement == nil ? [] : .characters
    if case .inherit = attributes { return actions }
    actions.insert(.attributes)
    return actions
  }

  /// The length of the range after the edit, in UTF-16 units.
  @inlinable public var newLength: Int { replacement?.count ?? range.length }

  /// New length minus old length of the edited range, in UTF-16 units.
  @inlinable public var changeInLength: Int { newLength - range.length }

  /// The edited range in the text after the edit.
  @inlinable public var editedRange: UTF16Range {
    UTF16Range(range.location..<range.location + newLength)
  }

  /// Checks that the action fits a text of `textLength` UTF-16 units.
  ///
  /// - Throws: `EditError` if the range ends after the end of the text, or the text would become
  ///   longer than `textLengthMax`.
  @inlinable public func validate(textLength: Int) throws(EditError) {
    try Self.validate(range, newLength: newLength, textLength: textLength)
  }

  /// Checks that `range` of a text of `textLength` can be replaced by `newLength` UTF-16 units.
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

  private static func check(_ runs: [AttributeRun], cover newLength: Int) throws(EditError) {
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
