/// What a form of a file cannot carry of a text, or a text of a file: it is counted, so that it can be reported.
public struct Losses: Hashable, Sendable {
  /// The names of attributes that were left out on some units, or whose values the form cannot carry.
  /// At most `namesMax`, in the order in which they were found.
  public private(set) var attributes: [String] = []
  /// Units that became U+FFFD: lone surrogates and control characters.
  public var replacedUnits = 0
  /// Paragraph terminators that became another one.
  public var changedTerminators = 0
  /// Paragraph terminators whose attributes become those of the paragraph's kind.
  public var restyledTerminators = 0
  /// Runs of units that stand for an attachment. The file names it, and does not hold its bytes.
  public var attachments = 0
  /// Images of which only the alternative text was kept, without the address.
  public var pictures = 0
  /// Empty paragraphs that were left out.
  public var droppedParagraphs = 0
  /// Paragraphs of a file that are inside an item of a list beside its text. An item of a text is one
  /// paragraph, so they are outside of the list there.
  public var leftItems = 0

  /// Line ends of a file that are not kept: others than CR LF and LF, and those of blocks that have several kinds.
  public var changedLineEnds = 0
  /// Blocks of a file that would be written in other words of its form, because the text cannot say how they were.
  public var respelledBlocks = 0

  /// The maximum number of names in `attributes`.
  public static let namesMax = 16

  /// Nothing is lost.
  public init() {}

  /// True if nothing is lost.
  public var isEmpty: Bool { self == Losses() }

  /// Notes that an attribute is left out. O(1).
  mutating func note(attribute name: String) {
    guard attributes.count < Self.namesMax, !attributes.contains(name) else { return }
    attributes.append(name)
  }

  /// One line for each kind of loss, with its number.
  public var lines: [String] {
    var lines: [String] = []
    if !attributes.isEmpty {
      lines.append("attributes left out: \(attributes.joined(separator: ", "))")
    }
    for (count, what) in [
      (replacedUnits, "units became U+FFFD"),
      (changedTerminators, "paragraph terminators became LF"),
      (restyledTerminators, "paragraph terminators lose attributes"),
      (droppedParagraphs, "empty paragraphs left out"),
      (leftItems, "paragraphs of list items that are outside of their list"),
      (attachments, "attachments whose bytes are not in the file"),
      (changedLineEnds, "line ends of the file that change"),
      (respelledBlocks, "blocks that an export writes in other words"),
      (pictures, "images reduced to their alternative text"),
    ] where count > 0 {
      lines.append("\(what): \(count)")
    }
    return lines
  }
}
