import EditModel
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// Long texts are hashed, compressed and checked a piece at a time.
@Suite struct LongTextTests {
  enum Kind: CaseIterable {
    case words, latin, latinBytes, cyrillic, surrogates, noise
  }

  private func text(_ kind: Kind, count: Int) -> UTF16Text {
    var random = SplitMix64(seed: 7)
    let letters: [UInt16] =
      switch kind {
      case .words: Array("eeeettaaoinshrdlu \n".utf16)
      case .latin, .latinBytes: Array("éàüñß some letters \n".utf16)
      case .cyrillic: Array("что и как было ".utf16)
      case .surrogates: [0xD83D, 0xDE00, 0x20AC, 0x61]
      case .noise: Array(0x20..<0x7F)
      }
    var units = (0..<count).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
    // Otherwise it may be half of a pair, and the text is encoded with the next.
    (units[0], units[count - 1]) = (0x61, 0x7A)
    guard kind != .latin else { return UTF16Text(units: units) }
    return units.allSatisfy { $0 < 0x100 }
      ? UTF16Text(latin1: units.map { UInt8($0) }) : UTF16Text(units: units)
  }

  private func entry(_ text: UTF16Text) -> HistoryEntry {
    let action = EditAction(replacing: UTF16Range(0..<0), with: text)
    return .edit(Edit(sequence: 1, action: action, origin: .load, author: "me"))
  }

  /// A segment that holds one entry, and the bytes of its block in the file.
  private func segment(
    of entry: HistoryEntry
  ) throws -> (system: SimulatedFileSystem, open: () throws -> Segment, block: Range<Int>) {
    let system = SimulatedFileSystem()
    let writer = try openWriter(system)
    let id = writer.id
    try writer.close()
    let directory = try system.directory(at: "/store")
    var segment = try SegmentWriter(
      directory.open("s", .create), store: id, document: 1, first: 1, level: 3, largeLevel: 1)
    try segment.append([entry], editCountMax: 1)
    try segment.finish { ($0.lastIndex, $0.lastSequence) = (1, 1) }
    try segment.check()
    let block = try #require(segment.index.blocks.first)
    return (
      system,
      {
        try Segment(directory.open("s", .read), store: id, document: 1, first: 1, heals: false)
      }, block.range
    )
  }

  @Test(arguments: Kind.allCases)
  func `a long text is read back`(kind: Kind) throws {
    let count = BlockContext.sizeMax + 50_000
    let text = text(kind, count: count)
    let entry = entry(text)
    let (system, open, range) = try segment(of: entry)
    let segment = try open()
    let block = try #require(segment.index.blocks.first)
    // By number: a difference of such texts is slow to print.
    let isEqual = try [
      segment.entries(of: block) == [entry],
      segment.entries(of: block, expecting: entry) == [entry],
    ]
    #expect(isEqual == [true, true])
    let spans = try segment.spans(of: block)
    #expect(spans.count == 1 && spans.first?.count == 1)
    let isTheSame = spans.first?.action.replacement == text && spans.first?.units == text.units[...]
    #expect(isTheSame && (spans.first?.text != nil) == text.units.allSatisfy { $0 < 0x100 })

    for place in [0, count / 2, count - 1] {
      var units = text.units
      units[place] ^= 1
      #expect(throws: LogError.self) {
        _ = try segment.entries(of: block, expecting: self.entry(UTF16Text(units: units)))
      }
    }
    for units in [text.units.dropLast(), text.units + [0x61]] {
      let other = self.entry(UTF16Text(units: Array(units)))
      #expect(throws: LogError.self) { _ = try segment.entries(of: block, expecting: other) }
    }

    let file = try #require(system["/store/s"])
    var random = SplitMix64(seed: 9)
    let places =
      [range.lowerBound, range.upperBound - 1]
      + (0..<4).map { _ in Int.random(in: range, using: &random) }
    for place in places {
      var damaged = file
      damaged[place] ^= 0x10
      system["/store/s"] = damaged
      #expect(throws: LogError.self, "byte \(place)") {
        _ = try open().entries(of: block, expecting: entry)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `the chain is the same`(kind: Kind) throws {
    let entry = entry(text(kind, count: 200_000))
    let store = try #require(StoreID(bytes: Array(0..<16)))
    func head(_ add: (inout HistoryEnd) -> Void) -> ChainHead {
      let chain = DocumentChain(store: store, document: 1)
      var end = HistoryEnd(chain: chain, lastIndex: 0, lastSequence: 0)
      _ = end.openLink(FixedBytes())
      add(&end)
      return end.chain.head
    }
    let whole = head { end in
      var encoder = EntryEncoder()
      encoder.withBytes(of: entry) { end.add(entry.entryPlace, $0) }
    }
    #expect(head { $0.add(entry) } == whole)
  }

  private struct FixedBytes: RandomBytes {
    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 5, count: count) }
  }
}
