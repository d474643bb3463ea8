import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

/// One suite for all backings of the storage protocol.
@Suite struct StorageTests {
  enum Backing: CaseIterable, CustomTestStringConvertible {
    case array, tree
    var testDescription: String { self == .array ? "array" : "tree" }
    var empty: any AttributedStorage { self == .array ? ArrayStorage() : TextState() }
  }

  private static func text(_ storage: some AttributedStorage) -> UTF16Text {
    UTF16Text(units: storage.units(in: UTF16Range(0..<storage.length)))
  }

  @Test(arguments: Backing.allCases) func `the four operations`(backing: Backing) throws {
    var storage = backing.empty
    #expect(storage.length == 0 && storage.paragraphCount == 1)
    #expect(storage.paragraphRange(at: 0) == UTF16Range(0..<0))
    try storage.replaceCharacters(in: UTF16Range(0..<0), with: "bold plain\r\nlast")
    try storage.setAttributes(["bold": .bool(true)], in: UTF16Range(0..<4))
    #expect(Self.text(storage) == "bold plain\r\nlast")
    #expect(storage.attributes(at: 0) == (["bold": .bool(true)], UTF16Range(0..<4)))
    #expect(storage.attributes(at: 4) == (.empty, UTF16Range(4..<16)))
    // New text inherits from the unit before, or the first replaced one.
    try storage.replaceCharacters(in: UTF16Range(4..<4), with: "er")
    #expect(storage.attributes(at: 5) == (["bold": .bool(true)], UTF16Range(0..<6)))
    try storage.replaceCharacters(in: UTF16Range(0..<1), with: "B")
    #expect(storage.attributes(at: 0).range == UTF16Range(0..<6))
    // Setting replaces all, and equal neighbours are one run.
    try storage.setAttributes(["bold": .bool(true)], in: UTF16Range(6..<8))
    #expect(storage.attributes(at: 7).range == UTF16Range(0..<8))
    try storage.setAttributes(.empty, in: UTF16Range(0..<0))
    #expect(storage.attributes(at: 7).range == UTF16Range(0..<8))
    #expect(storage.paragraphCount == 2)
    #expect(storage.paragraphRange(at: 0) == UTF16Range(0..<14))
    #expect(storage.paragraphIndex(at: 13) == 0 && storage.paragraphIndex(at: 14) == 1)
    #expect(storage.paragraphIndex(at: 18) == 1)
  }

  @Test(arguments: Backing.allCases) func `what does not fit is refused`(backing: Backing) throws {
    var storage = backing.empty
    try storage.replaceCharacters(in: UTF16Range(0..<0), with: "abc")
    #expect(throws: EditError.self) {
      try storage.replaceCharacters(in: UTF16Range(2..<4), with: "x")
    }
    #expect(throws: EditError.self) {
      try storage.setAttributes(["a": .bool(true)], in: UTF16Range(4..<4))
    }
    #expect(Self.text(storage) == "abc")
  }

  @Test(arguments: seeds(10)) func `both backings agree`(seed: UInt64) throws {
    var generator = TextGenerator(seed: seed)
    var (array, tree) = (ArrayStorage(), TextState())
    for _ in 0..<40 {
      let action = generator.action(length: tree.length)
      if generator.below(3) == 0 {
        let set: AttributeSet =
          generator.below(2) == 0 ? ["a": .integer(Int64(generator.below(2)))] : .empty
        try array.setAttributes(set, in: action.range)
        try tree.setAttributes(set, in: action.range)
      } else if let text = action.replacement {
        try array.replaceCharacters(in: action.range, with: text)
        try tree.replaceCharacters(in: action.range, with: text)
      }
      #expect(Self.text(array) == Self.text(tree), "seed \(seed)")
      #expect(array.paragraphCount == tree.paragraphCount, "seed \(seed)")
      for paragraph in 0..<array.paragraphCount {
        #expect(array.paragraphRange(at: paragraph) == tree.paragraphRange(at: paragraph))
      }
      for offset in 0..<array.length {
        #expect(array.attributes(at: offset) == tree.attributes(at: offset), "seed \(seed)")
        #expect(array.paragraphIndex(at: offset) == tree.paragraphIndex(at: offset))
      }
    }
  }
}
