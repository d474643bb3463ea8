import EditModel
import TestSupport
import Testing
import TextState

/// A version and its digest, which a program in another language computed from the article.
struct DigestVector: Sendable, CustomTestStringConvertible {
  let units: [UInt16]
  let runs: [AttributeRun]
  let ids: [ParagraphID]
  let text: String
  let attributes: String
  let paragraphs: String

  var testDescription: String { UTF16Text(units: units).description }

  func state() throws -> TextState {
    var start = 0
    let paragraphs = zip(OracleState.split(units), ids).map { piece, id in
      defer { start += piece.count }
      return ParagraphDescriptor(id: id, range: UTF16Range(start..<start + piece.count))
    }
    return try TextState(
      sequence: TextState.sequenceMax, text: UTF16Text(units: units), attributeRuns: runs,
      paragraphs: paragraphs)
  }

  static let all = [
    DigestVector(
      units: [], runs: [], ids: [ParagraphID(sequence: 0, ordinal: 0)],
      text: "00000000000000000000000000000000",
      attributes: "00000000000000000000000000000000",
      paragraphs: "10bc2b1cdb9a5fc815ea55b48c2502b3"),
    DigestVector(
      units: Array("one\ntwo".utf16), runs: [AttributeRun(length: 7, attributes: .empty)],
      ids: [ParagraphID(sequence: 0, ordinal: 0), ParagraphID(sequence: 1, ordinal: 0)],
      text: "1dc0dbc004de58171caea3d91732dd6a",
      attributes: "043f6a8885a3096213198a2e03707379",
      paragraphs: "07944ccaf2960e3f0c159b0b45f67dde"),
    DigestVector(
      units: [0xD83D, 0xDE00, 0xD83D, 0x0D, 0x0A],
      runs: [
        AttributeRun(length: 1, attributes: ["bold": .bool(true)]),
        AttributeRun(length: 2, attributes: .empty),
        AttributeRun(
          length: 2,
          attributes: [
            "bold": .bool(false), "data": .bytes([0x00, 0xFF]),
            "font": .map([
              "name": .string("Ä"),
              "sizes": .list([.integer(-1), .double(2.5), .double(-0.0), .double(.nan)]),
            ]),
          ]),
      ],
      ids: [ParagraphID(sequence: 1 << 40 + 5, ordinal: 7), ParagraphID(sequence: 0, ordinal: 0)],
      text: "0b920dc7d9faf7e51dffa2834e88805f",
      attributes: "1c0c5c22d45ca369144f87f953a8148b",
      paragraphs: "03d87259ccdfd2e20e5fa56f95c88ad9"),
  ]
}
