import EditJSON
import EditModel
import Testing

@testable import EditProtocol

/// Text that is written piece by piece is the text of the value.
@Suite struct JSONWriterTests {
  private struct Part: Hashable, Sendable {
    var a: Int
    var b: String?

    static let codec = Codec<Part>(
      { Part(a: $0, b: $1) }, .required("a", \.a, .count), .optional("b", \.b, .string))
  }

  private struct Whole: Hashable, Sendable {
    var text: UTF16Text
    var null: Int?
    var standard = 3
    var parts: [Part] = []
    var group = Part(a: 1, b: nil)
    var rest: Part?
    var isTrue = true

    static let codec = Codec<Whole>(
      { text, null, standard, parts, _, rest, _ in
        Whole(text: text, null: null, standard: standard, parts: parts, rest: rest)
      },
      .required("text", \.text, .text), .nullable("null", \.null, .count),
      .optional("standard", \.standard, .count, else: 3),
      .optional("parts", \.parts, .array(Part.codec), else: [], isAlwaysWritten: true),
      .group(\.group, Part.codec), .optionalGroup("c", \.rest, Other.codec), .flag("true", true))
  }

  /// Members of other names.
  private enum Other {
    static let codec = Codec<Part>(
      { Part(a: $0, b: $1) }, .required("c", \.a, .count), .optional("d", \.b, .string))
  }

  private func text<Value>(_ value: Value, _ codec: Codec<Value>) -> (String, pieces: [Int]) {
    var (bytes, pieces): ([UInt8], [Int]) = ([], [])
    var writer = JSONWriter { piece in
      bytes += piece
      pieces.append(piece.count)
      return true
    }
    codec.write(value, &writer)
    writer.finish()
    return (String(decoding: bytes, as: UTF8.self), pieces)
  }

  @Test func `a codec writes what it encodes`() {
    let long = UTF16Text(String(repeating: "a long text\n\"", count: 9_000))
    let values = [
      Whole(text: "é\u{2028}"), Whole(text: long, null: 4, standard: 5),
      Whole(text: UTF16Text(units: [0xD800]), parts: [Part(a: 1, b: "x"), Part(a: 2, b: nil)]),
      Whole(text: "", parts: (0..<20_000).map { Part(a: $0, b: "part") }, rest: Part(a: 7, b: "y")),
    ]
    for value in values {
      let (text, pieces) = text(value, Whole.codec)
      #expect(text == String(decoding: Whole.codec.encode(value).serialized(), as: UTF8.self))
      #expect(pieces.allSatisfy { $0 < 100_000 })
    }
  }

  @Test func `a list is made while it is written`() {
    var made = 0
    let rows = AnswerList(count: 100_000) { range in
      range.map { index in
        ShownParagraph(
          index: index, id: ParagraphID(sequence: 1, ordinal: UInt32(index)),
          range: UTF16Range(index..<index + 1), text: "\n")
      }
    }
    let answer = ParagraphsAnswer(sequence: 1, paragraphs: rows)
    var writer = JSONWriter { _ in
      made += 1
      return made < 3
    }
    ParagraphsAnswer.codec.write(answer, &writer)
    writer.finish()
    // The third piece of about 30 KB was the last.
    #expect(writer.isStopped && made == 3)
    #expect(
      text(answer, ParagraphsAnswer.codec).0
        == String(decoding: ParagraphsAnswer.codec.encode(answer).serialized(), as: UTF8.self))
  }

  @Test func `a response is written as it is encoded`() {
    for id in [RPCID.integer(7), .string("a\"b")] {
      var bytes: [UInt8] = []
      var writer = JSONWriter { piece in
        bytes += piece
        return true
      }
      RPCMessage.writeResponse(to: id, &writer) { $0.append(["a": [1, 2]]) }
      writer.finish()
      #expect(bytes == RPCMessage.response(id: id, result: ["a": [1, 2]]).json.serialized())
    }
  }

  @Test func `a list of an answer is a collection`() {
    let list = AnswerList(count: 1_000) { range in range.map { $0 * 2 } }
    #expect(list.count == 1_000 && list[7] == 14 && list.last == 1_998)
    #expect(Array(list) == (0..<1_000).map { $0 * 2 } && list.map { $0 } == Array(list))
    #expect(list == AnswerList(Array(list)) && list != [0, 2])
    #expect(AnswerList<Int>(count: 0) { _ in [] } == [])
  }
}
