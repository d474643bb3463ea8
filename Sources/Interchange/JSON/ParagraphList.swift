public import EditJSON
public import EditModel
import EditProtocol
public import Projections

/// The paragraphs of another program's model, with their attributes.
///
/// In JSON an array, each element of which is a string, or an object with `text` and, if it has any,
/// `attributes` of all its units or `attributeRuns`. Terminators are repaired as `ParagraphRepair` says.
public struct ParagraphList: Hashable, Sendable {
  /// The paragraphs as they were read, each with or without its terminator.
  public let paragraphs: [AttributedText]

  /// A list.
  ///
  /// - Parameter paragraphs: The paragraphs, each with or without its terminator.
  public init(_ paragraphs: [AttributedText]) { self.paragraphs = paragraphs }

  /// Reads a file. O(n).
  ///
  /// - Parameter bytes: The file, in UTF-8.
  /// - Throws: `InterchangeError`, with the place or the member.
  public init(_ bytes: [UInt8]) throws(InterchangeError) {
    let json = try InterchangeError.json(bytes)
    do throws(ShapeError) { try self.init(json: json) } catch {
      throw InterchangeError("\(error)")
    }
  }

  /// Reads a list. O(n).
  ///
  /// - Parameter json: The array.
  /// - Throws: `ShapeError`, which names the element and the member.
  public init(json: JSON) throws(ShapeError) {
    paragraphs = try json.asArray { (json) throws(ShapeError) in
      if case .string = json { return AttributedText(try json.asText()) }
      guard case .object(let object) = json else {
        throw ShapeError(mustBe: "a string, or an object with text", found: json)
      }
      guard let attributes = object["attributes"], attributes != .null else {
        return try AttributedJSON.text(json)
      }
      guard object["attributeRuns"] == nil else {
        throw ShapeError(
          "attributeRuns", mustBe: "absent, because attributes is given",
          found: object["attributeRuns"])
      }
      let text = try object.read("text") { (json) throws(ShapeError) in try json.asText() }
      do throws(ShapeError) {
        return AttributedText(text, try AttributeSet(json: attributes))
      } catch {
        throw error.within("attributes")
      }
    }
  }

  /// As `repaired()`, for a message.
  ///
  /// - Returns: The text, one line for each correction, and `ParagraphRepair.sources`.
  /// - Throws: `InterchangeError` if the text is longer than a document may be.
  public func repairedText() throws(InterchangeError) -> (
    text: AttributedText, repairs: [String], sources: [Int?]
  ) {
    do throws(EditError) {
      let (text, repair) = try repaired()
      return (text, repair.corrections.map(\.line), repair.sources)
    } catch { throw InterchangeError("\(error)") }
  }

  /// The text of the paragraphs, and what was repaired. A terminator that is added has the attributes of
  /// the unit before it. O(n).
  ///
  /// - Returns: The text, and the repair, whose paragraphs the text has.
  /// - Throws: `EditError.textTooLong` if the text is longer than a document may be.
  public func repaired() throws(EditError) -> (text: AttributedText, repair: ParagraphRepair) {
    let repair = try ParagraphRepair(paragraphs.map(\.text))
    var added: Set<Int> = []
    for case .terminatorAdded(let index) in repair.corrections { added.insert(index) }
    var text = AttributedText()
    for (index, paragraph) in paragraphs.enumerated() {
      text.append(paragraph)
      guard added.contains(index) else { continue }
      text.append(CollectionOfOne(0x0A), paragraph.runs.last?.attributes ?? .empty)
    }
    // Only the terminator of the last paragraph is ever removed.
    text.removeLast(text.count - repair.text.count)
    return (text, repair)
  }
}

extension ParagraphRepair.Correction {
  /// One line about the correction, with the number of the paragraph, from 1.
  public var line: String {
    switch self {
    case .emptyAdded: "the list is empty: it is read as one empty paragraph"
    case .terminatorAdded(let index): "paragraph \(index + 1): an LF was added at the end"
    case .terminatorRemoved(let index):
      "paragraph \(index + 1), the last: its terminator was removed"
    case .divided(let index, let count):
      "paragraph \(index + 1) has terminators inside: it is \(count) paragraphs now"
    case .terminatorJoined(let index):
      "paragraph \(index + 1) began with the LF of the CR before it: the two are one terminator"
    }
  }
}
