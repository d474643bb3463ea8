public import EditJSON
import EditModel
public import EditProtocol

/// A styled text as one JSON object: `{"v":1,"text":"…","attributeRuns":[{"length":…,"attributes":…}]}`,
/// the members that `show --json` has too. Nothing is lost. It may also have the paragraphs of the text with
/// their identifiers, `"identifierRuns":[{"id":"12.0","location":…,"length":…}]`, which are not read.
public enum AttributedJSON {
  /// The object.
  package static let codec = Codec<AttributedText>(
    schema: [
      "type": "object", "required": ["v", "text"],
      "properties": [
        "v": ["const": 1], "text": .object(Codec<UTF16Text>.text.schema),
        "attributeRuns": .object(Codec<[AttributeRun]>.array(.run).schema),
        "identifierRuns": .object(Codec<[IdentifierRun]>.array(IdentifierRun.codec).schema),
      ],
    ],
    decode: { (json) throws(ShapeError) in try text(json) },
    encode: { .object(object(of: $0, nil)) })

  /// The object. O(n).
  ///
  /// - Parameters:
  ///   - text: The text to write.
  ///   - identifiers: The paragraphs of the text that have units; nil if they are left out.
  /// - Returns: The bytes, with an LF at the end.
  public static func bytes(
    of text: AttributedText, identifiers: [IdentifierRun]? = nil
  ) -> [UInt8] {
    JSON.object(object(of: text, identifiers)).serialized() + [0x0A]
  }

  private static func object(
    of text: AttributedText, _ identifiers: [IdentifierRun]?
  ) -> JSONObject {
    var object: JSONObject = [
      "v": 1, "text": JSON(text.text), "attributeRuns": .array(text.runs.map(\.json)),
    ]
    if let identifiers {
      object["identifierRuns"] = .array(identifiers.map(IdentifierRun.codec.encode))
    }
    return object
  }

  /// Reads a file. O(n).
  ///
  /// - Parameter bytes: The file, in UTF-8.
  /// - Returns: The text.
  /// - Throws: `InterchangeError`, with the place or the member.
  public static func text(_ bytes: [UInt8]) throws(InterchangeError) -> AttributedText {
    let json = try InterchangeError.json(bytes)
    do throws(ShapeError) { return try text(json) } catch { throw InterchangeError("\(error)") }
  }

  /// Reads a text. Other members are ignored, and a text without runs is plain. O(n).
  ///
  /// - Parameter json: The object.
  /// - Returns: The text.
  /// - Throws: `ShapeError`, which names the member.
  public static func text(_ json: JSON) throws(ShapeError) -> AttributedText {
    let object = try json.asObject()
    let text = try object.read("text") { (json) throws(ShapeError) in try json.asText() }
    let runs = try object.readIfPresent("attributeRuns") { (json) throws(ShapeError) in
      try json.asArray { (json) throws(ShapeError) in try AttributeRun(json: json) }
    }
    guard let runs else { return AttributedText(text) }
    do throws(EditError) { return try AttributedText(text, runs: runs) } catch {
      throw ShapeError("attributeRuns", .edit(error))
    }
  }
}
