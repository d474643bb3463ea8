@testable import EditLogFormat
import EditModel
import TestSupport
import Testing

@Suite struct BlockCodecTests {
  private let compressor = ZstdCompressor()
  private let decompressor = ZstdDecompressor()

  private func encode(_ entries: [HistoryEntry], level: Int = 3) -> EncodedBlock {
    BlockCodec.encode(entries, level: level, with: compressor)
  }

  private func open(_ block: EncodedBlock) throws(CodecError) -> DecodedBlock {
    try block.payload.withUnsafeBufferPointer { (payload) throws(CodecError) in
      try DecodedBlock(
        block.header, payload: UnsafeRawBufferPointer(payload), after: BlockContext(),
        with: decompressor)
    }
  }

  /// The bytes of entries in row form: equal strings may differ in bytes, these may not.
  private func rows(_ entries: [HistoryEntry]) -> [[UInt8]] {
    var meta = ByteWriter()
    var content = ByteWriter()
    for entry in entries { RecordCodec.encode(entry, meta: &meta, content: &content) }
    return [meta.bytes, content.bytes]
  }

  private func actions(_ entries: [HistoryEntry]) -> [EditAction] {
    entries.compactMap { if case .edit(let edit) = $0 { edit.action } else { nil } }
  }

  // MARK: Layout

  /// The example of the article Blocks, byte for byte.
  @Test func theExampleOfTheArticle() throws {
    let typed = "hello".utf16.enumerated().map { ($0.offset, 0, [$0.element]) }
    let edits = typed + [(4, 1, []), (3, 1, [])]
    let entries = edits.enumerated().map { index, edit in
      HistoryEntry.edit(
        Edit(
          sequence: UInt64(index + 1),
          action: EditAction(
            replacing: UTF16Range(edit.0..<edit.0 + edit.1), with: UTF16Text(units: edit.2)),
          origin: index < 5 ? .typing : .removal, author: "ann",
          time: Timestamp(nanoseconds: 1_000_000_000 + Int64(index) * 100_000_000)))
    }
    let columns = hex(
      """
      01 01 07 00 05 00ca9a3b00000000 80c2d72f
      08 00 00 06 00 02 00 00 00 00 00 00 00 00 00 02 00 05
      00 00 01 01 01 01 01 01  00 01 03 616e6e  00 00  40 11  68656c6c6f
      """)
    let block = encode(entries)
    #expect(try self.columns(of: block) == columns)
    #expect(try DecodedBlock(header: block.header, columns: columns).entries() == entries)
  }

  // MARK: Selections

  /// Carets that move with typing and removing take a few bytes for the whole block, and edits without
  /// selections take none.
  @Test func caretsThatMoveWithTheTypingTakeNoSpace() throws {
    func block(_ selects: (Int, EditAction) throws -> EditSelection?) throws -> EncodedBlock {
      var (entries, length): ([HistoryEntry], Int) = ([], 0)
      for number in 1...4_000 {
        let isRemoval = number % 9 == 0
        let action = EditAction(
          replacing: UTF16Range(isRemoval ? length - 1..<length : length..<length),
          with: isRemoval ? "" : "x")
        length += action.changeInLength
        entries.append(
          .edit(
            Edit(
              sequence: UInt64(number), action: action, origin: isRemoval ? .removal : .typing,
              time: Timestamp(nanoseconds: Int64(number) * 1_000_000),
              selection: try selects(number, action))))
      }
      let block = encode(entries)
      #expect(try open(block).entries() == entries)
      for number in stride(from: 1, to: 4_000, by: 333) {
        #expect(try open(block).edit(at: UInt64(number)).map { .edit($0) } == entries[number - 1])
      }
      return block
    }
    func caret(_ offset: Int) -> [SelectedRange] { [SelectedRange(offset..<offset)] }
    let plain = try block { _, _ in nil }
    let typed = try block { _, action in
      try EditSelection(
        before: caret(action.range.upperBound), after: caret(action.editedRange.upperBound))
    }
    #expect(!plain.hasSelections && typed.hasSelections)
    #expect(typed.header.decodedSize - plain.header.decodedSize == 1 + 2 * 3)
    #expect(typed.payload.count - plain.payload.count <= 16)
    // A caret elsewhere in every tenth edit.
    let some = try block { number, action in
      try EditSelection(after: caret(number % 10 == 0 ? number % 7 : action.editedRange.upperBound))
    }
    #expect(some.header.decodedSize - plain.header.decodedSize < 400 * 7 + 20)
  }

  // MARK: Round trips

  @Test(arguments: UInt64(0)..<150)
  func entriesComeBack(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed, after: seed % 3 == 0 ? 0 : seed << 40)
    let entries = generator.history(count: Int(1 + seed * 3 % 400))
    let block = encode(entries)
    let decoded = try open(block).entries()
    #expect(decoded == entries)
    #expect(rows(decoded) == rows(entries))
    #expect(encode(decoded) == block)
    #expect(block.header.editCount + block.header.eventCount == entries.count)
  }

  /// Any edit is found by its number, in any order, whatever is before it.
  @Test(arguments: UInt64(0)..<40)
  func oneEditIsReadByItsNumber(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed, after: seed % 3 == 0 ? 0 : seed << 40)
    let entries = generator.history(count: Int(1 + seed * 37 % 900))
    let block = try open(encode(entries))
    var edits: [Edit] = []
    for case .edit(let edit) in entries { edits.append(edit) }
    var random = SplitMix64(seed: seed)
    for edit in edits.shuffled(using: &random).prefix(60) {
      #expect(try block.edit(at: edit.sequence) == edit)
    }
    let header = block.header
    #expect(try block.edit(at: header.firstSequence - 1) == nil)
    #expect(try block.edit(at: header.firstSequence + UInt64(header.editCount)) == nil)
  }

  @Test(arguments: UInt64(0)..<100)
  func spansExpandToTheirEdits(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    let entries = generator.history(count: 200)
    let block = try open(encode(entries))
    let spans = try block.spans()
    #expect(spans.flatMap { span in (0..<span.count).map { span[$0] } } == actions(entries))
    #expect(spans.count < block.header.editCount)
    var next = block.header.firstSequence
    for span in spans {
      #expect(span.first == next)
      #expect(span.count == 1 || span.kind != .single)
      next = span.last + 1
    }
    #expect(next == block.header.lastSequence + 1)
  }

  /// A span, and each of its prefixes, does to a text what its edits do one after another.
  @Test(arguments: UInt64(0)..<40)
  func oneActionDoesWhatTheEditsDo(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    let spans = try open(encode(generator.history(count: 120))).spans()
    var units: [UInt16] = []
    for span in spans {
      var stepwise = units
      for count in 1...span.count {
        stepwise.apply(span[count - 1])
        var atOnce = units
        atOnce.apply(span.prefix(count).action)
        #expect(atOnce == stepwise)
      }
      units = stepwise
    }
  }

  /// Each part of a span has its edits, with their numbers.
  @Test(arguments: UInt64(0)..<40)
  func partsOfSpansHaveTheirEdits(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    for span in try open(encode(generator.history(count: 120))).spans() {
      for start in 0..<span.count {
        for end in start + 1...span.count {
          let part = span[start..<end]
          #expect(part.first == span.first + UInt64(start) && part.count == end - start)
          #expect(part.count == 1 ? part.kind == .single : part.kind == span.kind)
          #expect((0..<part.count).map { part[$0] } == (start..<end).map { span[$0] })
        }
      }
    }
  }

  /// A block holds its entries, and no other ones.
  @Test(arguments: UInt64(0)..<20)
  func aBlockIsComparedWithItsEntries(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    let entries = generator.history(count: 60)
    let block = try open(encode(entries))
    #expect(try block.holds(entries[...]))
    #expect(try block.holds((entries + entries)[..<entries.count]))
    #expect(try !block.holds(entries.dropLast()))
    #expect(try !block.holds(entries.dropFirst()))
    #expect(try !block.holds((entries + entries)[...]))
    for index in entries.indices {
      var changed = entries
      switch changed[index] {
      case .edit(var edit):
        edit.counter &+= 1
        changed[index] = .edit(edit)
      case .event(var event):
        event.counter &+= 1
        changed[index] = .event(event)
      }
      #expect(try !block.holds(changed[...]), "seed \(seed), entry \(index)")
      let other = index == 0 ? entries.count - 1 : 0
      changed = entries
      changed.swapAt(index, other)
      #expect(try !block.holds(changed[...]), "seed \(seed), entry \(index)")
    }
  }

  @Test func runsAreOneSpan() throws {
    func block(_ edits: [(Int, Int, String)]) throws -> [EditSpan] {
      let entries = edits.enumerated().map { index, edit in
        HistoryEntry.edit(
          Edit(
            sequence: UInt64(index + 1),
            action: EditAction(
              replacing: UTF16Range(edit.0..<edit.0 + edit.1), with: UTF16Text(edit.2))))
      }
      return try open(encode(entries)).spans()
    }
    let typing = try block([(3, 0, "a"), (4, 0, "b"), (5, 0, "c")])
    #expect(typing.map(\.kind) == [.insertion])
    #expect(typing[0].action == EditAction(replacing: UTF16Range(3..<3), with: "abc"))
    let backspacing = try block([(5, 2, ""), (3, 2, ""), (1, 2, "")])
    #expect(backspacing.map(\.kind) == [.backspacing])
    #expect(backspacing[0].range == UTF16Range(1..<7))
    let deletion = try block([(5, 1, ""), (5, 1, ""), (5, 1, "")])
    #expect(deletion.map(\.kind) == [.deletion])
    #expect(deletion[0].range == UTF16Range(5..<8))
    let others = try block([(0, 0, "ab"), (2, 0, "c"), (3, 0, ""), (0, 1, "x"), (1, 1, "y")])
    #expect(others.map(\.count) == [1, 1, 1, 1, 1])
  }

  @Test func eventsAloneAreABlock() throws {
    let entries = (0..<3).map { _ in
      HistoryEntry.event(
        HistoryEvent(
          kind: .closed(unsaved: false), after: 7, time: Timestamp(nanoseconds: 1)))
    }
    let block = encode(entries)
    #expect(block.header.firstSequence == 8 && block.header.lastSequence == 7)
    #expect(try open(block).entries() == entries)
    #expect(try open(block).spans().isEmpty)
  }

  @Test func halvesOfAPairMeetAndPartAgain() throws {
    let entries = [UInt16(0xD83D), 0xDE00].enumerated().map { index, unit in
      HistoryEntry.edit(
        Edit(
          sequence: UInt64(index + 1),
          action: EditAction(
            replacing: UTF16Range(index..<index), with: UTF16Text(units: [unit]))))
    }
    #expect(try open(encode(entries)).entries() == entries)
  }

  /// Surrogate pairs that are split between long texts, which are written at once, are joined.
  @Test(arguments: UInt64(0)..<12) func halvesMeetAcrossLongTexts(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let units: [UInt16] = seed % 3 == 0 ? [0xD83D] : [0xD83D, 0xDE00, 0x61, 0xD83D]
    let list = (1...8).map { sequence in
      let count = [1, 2, 65_536, 65_537, 70_000].randomElement(using: &random) ?? 1
      let text = (0..<count).map { _ in units.randomElement(using: &random) ?? 0x61 }
      return HistoryEntry.edit(
        Edit(
          sequence: UInt64(sequence),
          action: EditAction(
            replacing: UTF16Range(0..<Int(seed % 2)), with: UTF16Text(units: text)),
          time: Timestamp(nanoseconds: 0)))
    }
    // By number: a difference of such texts is slow to print.
    let isEqual = try open(encode(list, level: 1)).entries() == list
    #expect(isEqual)
  }

  @Test func theLastSequenceNumberIsReached() throws {
    let last = RecordCodec.sequenceMax
    let action = EditAction(replacing: UTF16Range(0..<0), with: "a")
    let block = encode([.edit(Edit(sequence: last, action: action))])
    #expect(try open(block).spans()[0].last == last)
    #expect(try open(block).entries().count == 1)
  }

  /// Nothing splits an entry, so one alone may be of any size.
  @Test func oneLargeEntryIsABlock() throws {
    let entry = large(count: 300_000, seed: 1)
    #expect(try open(encode([entry], level: 1)).entries() == [entry])
    #expect(BlockCodec.prefixCount(of: [entry, entry], sizeMax: 1 << 18) == 1)
    #expect(BlockCodec.prefixCount(of: [entry, entry]) == 2)
  }

  /// A text that is larger than a context is compressed apart from the other columns.
  @Test func largeTextsFollowAContext() throws {
    let entry = large(count: BlockContext.sizeMax + 100, seed: 2)
    var context = BlockContext()
    _ = BlockCodec.encode([large(count: 100, seed: 3)], level: 1, after: &context)
    let before = context
    #expect(!before.bytes.isEmpty)
    let block = BlockCodec.encode([entry], level: 1, after: &context)
    #expect(context.bytes.isEmpty)
    let columns = try block.payload.withUnsafeBytes { payload in
      try DecodedBlock(block.header, payload: payload, after: before)
    }
    // By number: a difference of such texts is slow to print.
    let isEqual = try columns.entries() == [entry]
    #expect(isEqual && block.header.isContinued)
  }

  /// An edit that inserts `count` units, some of them surrogates that may or may not be pairs.
  private func large(count: Int, seed: UInt64) -> HistoryEntry {
    var random = SplitMix64(seed: seed)
    let units = (0..<count).map { _ in
      switch random.next() % 8 {
      case 0: UInt16(0xD83D)
      case 1: UInt16(0xDE00)
      case 2: UInt16(0x20AC)
      case let letter: UInt16(97 + letter)
      }
    }
    let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: units))
    return .edit(Edit(sequence: 1, action: action, origin: .load))
  }

  /// Beyond the bound for all, a payload pays for what it decodes to; columns that shrink more
  /// are stored as they are.
  @Test func payloadsPayForLargeBlocks() throws {
    let most = BlockCodec.decodedSizeMax
    for (size, payload, isPayable) in [
      (most, 0, true), (most + 1, 1, false), (1 << 30, 33_006, false), (1 << 30, 1 << 20, true),
    ] {
      #expect(BlockCodec.isPayable(size, by: payload) == isPayable)
    }
    let block = small(seed: 3)
    let columns = try columns(of: block)
    var header = block.header
    (header.isStored, header.payloadSize) = (true, columns.count)
    header.payloadChecksum = CRC32C.checksum(columns)
    let stored = EncodedBlock(header: header, payload: columns)
    #expect(try open(stored).entries() == open(block).entries())
  }

  @Test(arguments: UInt64(0)..<20)
  func boundsOfSizesHold(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    let entries = generator.history(count: 50)
    let bound = entries.reduce(0) { $0 + BlockCodec.sizeBound(of: $1) }
    #expect(encode(entries).header.decodedSize <= bound)
    for entry in entries {
      #expect(encode([entry]).header.decodedSize <= BlockCodec.sizeBound(of: entry))
    }
    #expect(BlockCodec.prefixCount(of: entries[...], editCountMax: 7) == 7)
    #expect(BlockCodec.prefixCount(of: [], editCountMax: 7) == 0)
  }

  // MARK: Damage

  private func small(seed: UInt64) -> EncodedBlock {
    var generator = EntryGenerator(seed: seed)
    return encode(Array(generator.history(count: 12).prefix(12)))
  }

  @Test(arguments: UInt64(0)..<4)
  func everyFlippedBitOfAPayloadIsSeen(seed: UInt64) throws {
    let block = small(seed: seed)
    let entries = try open(block).entries()
    for payload in block.payload.flips {
      let damaged = EncodedBlock(header: block.header, payload: payload)
      #expect(throws: CodecError(.checksum, at: 0)) { try open(damaged) }
      // Without our checksum, that of the frame or that of the columns sees all that matters.
      var header = block.header
      header.payloadChecksum = CRC32C.checksum(payload)
      if let opened = try? open(EncodedBlock(header: header, payload: payload)) {
        #expect(try opened.entries() == entries)
      }
    }
    for cut in block.payload.cuts {
      #expect(throws: CodecError(.mismatch, at: 0)) {
        try open(EncodedBlock(header: block.header, payload: cut))
      }
    }
  }

  @Test func everyFlippedBitOfAHeaderIsSeen() throws {
    var writer = ByteWriter()
    small(seed: 1).header.encode(to: &writer)
    let bytes = writer.bytes
    #expect(bytes.count == BlockHeader.size)
    try ByteReader.reading(bytes) { (reader) throws(CodecError) in
      #expect(try BlockHeader(from: &reader) == small(seed: 1).header)
    }
    for damaged in Array(bytes.flips) + Array(bytes.cuts) {
      #expect(throws: CodecError.self) {
        try ByteReader.reading(damaged) { (reader) throws(CodecError) in
          try BlockHeader(from: &reader)
        }
      }
    }
  }

  /// Columns with checksums that agree: an error, or entries sound enough to be encoded again.
  @Test(arguments: UInt64(0)..<12)
  func damagedColumnsNeverTrap(seed: UInt64) throws {
    let block = small(seed: seed)
    let columns = try columns(of: block)
    for damaged in Array(columns.flips) + Array(columns.cuts) {
      let opened = DecodedBlock(header: block.header, columns: damaged)
      if let spans = try? opened.spans() {
        for span in spans { _ = (span.action, span[span.count - 1], span.prefix(1)) }
      }
      if let entries = try? opened.entries() { _ = encode(entries) }
    }
    for cut in columns.cuts {
      #expect(throws: CodecError.self) {
        try DecodedBlock(header: block.header, columns: cut).entries()
      }
    }
  }

  /// Whole bytes overwritten by what forgers like.
  @Test(arguments: UInt64(0)..<6)
  func forgedNumbersNeverTrap(seed: UInt64) throws {
    let block = small(seed: seed)
    let columns = try columns(of: block)
    let numbers: [[UInt8]] = [
      hex("ff"), hex("00"), hex("80 01"), hex("ff ff ff ff 07"), hex("80 80 80 80 08"),
      hex("ff ff ff ff 0f"), hex("ff ff ff ff ff ff ff ff 7f"),
      hex("ff ff ff ff ff ff ff ff ff 01"),
    ]
    for offset in columns.indices {
      for number in numbers {
        var forged = columns
        forged.replaceSubrange(offset...offset, with: number)
        let opened = DecodedBlock(header: block.header, columns: forged)
        if let entries = try? opened.entries() { _ = encode(entries) }
        if let spans = try? opened.spans() { for span in spans { _ = span.action } }
      }
    }
  }

  private func columns(of block: EncodedBlock) throws -> [UInt8] {
    try block.payload.withUnsafeBytes {
      try decompressor.decompress($0, sizeMax: block.header.decodedSize)
    }
  }

  @Test func impossibleHeadersAreRefused() {
    let block = small(seed: 2)
    func refused(_ change: (inout BlockHeader) -> Void) {
      var header = block.header
      change(&header)
      #expect(throws: CodecError.self) {
        try open(EncodedBlock(header: header, payload: block.payload)).entries()
      }
      var writer = ByteWriter()
      header.encode(to: &writer)
      if (try? BlockCodec.check(
        header, at: ByteReader(UnsafeRawBufferPointer(start: nil, count: 0)))) == nil
      {
        #expect(throws: CodecError.self) {
          try ByteReader.reading(writer.bytes) { (reader) throws(CodecError) in
            try BlockHeader(from: &reader)
          }
        }
      }
    }
    for count in [0, 1, BlockCodec.editCountMax, BlockCodec.editCountMax + 1, 1 << 31, 0xFFFF_FFFF]
    {
      refused { $0.editCount = count }
      refused { $0.eventCount = max(count, 40) }
    }
    for size in [0, 1, BlockCodec.decodedSizeMax, BlockCodec.decodedSizeMax + 1, 1 << 60, .max] {
      refused { $0.decodedSize = size }
      refused { $0.payloadSize = size }
      refused { header in
        (header.editCount, header.eventCount, header.decodedSize) = (1, 0, size)
      }
    }
    for sequence in [0, 1 << 62, RecordCodec.sequenceMax, .max] {
      refused { $0.firstSequence = sequence }
    }
    refused { $0.isStored = true }
    refused { $0.firstTime = Timestamp(nanoseconds: 1) }
    refused { $0.lastTime = Timestamp(nanoseconds: 1) }
    refused { $0.decodedChecksum ^= 1 }
  }

  /// One row may stand for many edits, so rows, edits and text must pay for one another.
  @Test func forgedRunsAreRefused() throws {
    // Version, first, edits, events, units, time, divisor, then the columns' sizes.
    func block(editCount: UInt8, units: UInt8, sizes: [BlockColumn: UInt8], _ columns: String)
      -> DecodedBlock
    {
      let sizes = BlockColumn.allCases.filter { $0 != .selections }.map { sizes[$0] ?? 0 }
      let preface = [1, 1, editCount, 0, units, 0, 0, 0, 0, 0, 0, 0, 0, 1] + sizes
      let header = BlockHeader(
        firstSequence: 1, editCount: Int(editCount), eventCount: 0,
        firstTime: Timestamp(nanoseconds: 0), lastTime: Timestamp(nanoseconds: 0),
        decodedSize: 0, decodedChecksum: 0, payloadSize: 0, payloadChecksum: 0, isStored: false)
      return DecodedBlock(header: header, columns: preface + hex(columns))
    }
    // Two units typed at 0: sound.
    let sound = block(
      editCount: 2, units: 2, sizes: [.rows: 1, .times: 2, .text: 2], "0001 10 6161")
    #expect(try sound.entries().count == 2)
    // A unit at 5, then one at 0, where the cursor was before.
    let sizes: [BlockColumn: UInt8] = [.times: 2, .rows: 2, .positions: 2, .text: 2]
    let back = block(editCount: 2, units: 2, sizes: sizes, "0001 0808 0d00 6161")
    #expect(try back.spans().map(\.range.location) == [5, 0])
    let forged = [
      // The same by the distance, by a place that no edit left, and where the cursor is.
      block(editCount: 2, units: 2, sizes: sizes, "0001 0808 0d0e 6161"),
      block(editCount: 2, units: 2, sizes: sizes, "0001 0808 0d01 6161"),
      block(editCount: 2, units: 2, sizes: sizes, "0001 0808 0d03 6161"),
      // More or fewer edits than there are, more or fewer units.
      block(editCount: 3, units: 2, sizes: [.rows: 1, .times: 2, .text: 2], "0001 10 6161"),
      block(editCount: 1, units: 2, sizes: [.rows: 1, .times: 2, .text: 2], "0001 10 6161"),
      block(editCount: 2, units: 1, sizes: [.rows: 1, .times: 2, .text: 2], "0001 10 6161"),
      block(editCount: 2, units: 1, sizes: [.rows: 1, .times: 2, .text: 1], "0001 10 61"),
      block(editCount: 2, units: 3, sizes: [.rows: 1, .times: 2, .text: 3], "0001 10 616161"),
      // A count of billions; backspaces before the start; times left over.
      block(
        editCount: 2, units: 2, sizes: [.counts: 5, .rows: 1, .times: 2, .text: 2],
        "0001 ffffffff0f f0 6161"),
      block(editCount: 2, units: 0, sizes: [.rows: 1, .times: 2], "0001 11"),
      block(editCount: 2, units: 2, sizes: [.rows: 1, .times: 2, .text: 2], "0002 10 6161"),
      block(editCount: 2, units: 2, sizes: [.rows: 1, .times: 3, .text: 2], "000100 10 6161"),
      // A place past any text, and one that no edit left.
      block(
        editCount: 2, units: 2,
        sizes: [.positionTails: 4, .rows: 1, .positions: 1, .times: 2, .text: 2],
        "0001 ffffff7f 18 fe 6161"),
      block(
        editCount: 2, units: 2, sizes: [.rows: 1, .positions: 1, .times: 2, .text: 2],
        "0001 18 00 6161"),
    ]
    for (index, block) in forged.enumerated() {
      #expect(throws: CodecError.self, "\(index)") { try block.entries() }
    }
  }
}

extension [UInt16] {
  fileprivate mutating func apply(_ action: EditAction) {
    guard let replacement = action.replacement else { return }
    replaceSubrange(action.range.bounds, with: replacement.units)
  }
}
