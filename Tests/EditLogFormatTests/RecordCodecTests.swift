import EditLogFormat
import EditModel
import TestSupport
import Testing

@Suite struct RecordCodecTests {
  private func encode(_ entry: HistoryEntry) -> (meta: [UInt8], content: [UInt8]) {
    var meta = ByteWriter()
    var content = ByteWriter()
    RecordCodec.encode(entry, meta: &meta, content: &content)
    return (meta.bytes, content.bytes)
  }

  private func decode(_ meta: [UInt8], _ content: [UInt8]) throws(CodecError) -> HistoryEntry {
    try ByteReader.reading(meta) { (meta) throws(CodecError) in
      try ByteReader.reading(content) { (content) throws(CodecError) in
        let entry = try RecordCodec.decode(meta: &meta, content: &content)
        try meta.expectEnd()
        try content.expectEnd()
        return entry
      }
    }
  }

  private let typed = HistoryEntry.edit(
    Edit(
      sequence: 300, action: EditAction(replacing: UTF16Range(5..<5), with: "h"),
      origin: .paste, transaction: 298, author: "ann", session: SessionID("s"), counter: 7,
      time: Timestamp(nanoseconds: 1), clientTime: Timestamp(nanoseconds: -1)))

  @Test func layout() throws {
    let (meta, content) = encode(typed)
    #expect(
      meta
        == hex(
          """
          7e 02 ac02 05 00 01 01 0100000000000000 02 03616e6e 0173 07 ffffffffffffffff
          """))
    #expect(content == [0x68])
    // A caret that moves with the typing; two carets before a word is selected, of which the last is the
    // main one, and the word after it.
    func range(_ bounds: Range<Int>) -> SelectedRange { SelectedRange(bounds) }
    func reversed(_ bounds: Range<Int>) -> SelectedRange { SelectedRange(bounds, isReversed: true) }
    for (before, after, bytes) in [
      ([range(5..<5)], [range(6..<6)], "01 02"),
      ([range(9..<9), range(2..<4)], [range(5..<6)], "05 12 00 0d 02 03"),
      ([], [range(0..<300)], "00 04 00 ac02"),
      // From right to left: a word, and then the inserted text; a word, with a caret; two words, of
      // which the first is not.
      ([reversed(2..<4)], [reversed(5..<6)], "8502 04 05 8402"),
      ([reversed(2..<4), range(0..<0)], [], "8602 04 05 07 00 00"),
      ([], [range(1..<300), reversed(400..<401)], "00 8602 02 d604 c801 03"),
    ] as [([SelectedRange], [SelectedRange], String)] {
      let edit = HistoryEntry.edit(
        Edit(
          sequence: 300, action: EditAction(replacing: UTF16Range(5..<5), with: "h"),
          time: Timestamp(nanoseconds: 1),
          selection: try EditSelection(before: before, after: after)))
      #expect(encode(edit).meta == hex("82 00 ac02 05 00 01 01 0100000000000000 " + bytes))
      #expect(try decode(encode(edit).meta, [0x68]) == edit)
    }
    let mark = HistoryEntry.event(
      HistoryEvent(
        kind: .mark(label: "one", at: 4), after: 9, time: Timestamp(nanoseconds: 2)))
    #expect(encode(mark).meta == hex("01 00 09 03 0200000000000000 04"))
    #expect(encode(mark).content == hex("6f6e65"))
    let neovim = SessionDescription(client: "vi", version: "8", host: "pc", process: 300)
    let session = HistoryEntry.event(
      HistoryEvent(
        kind: .session(try #require(neovim)), after: 9, time: Timestamp(nanoseconds: 2),
        author: "ann", session: SessionID("s")))
    #expect(
      encode(session).meta
        == hex("19 07 09 00 0200000000000000 03616e6e 0173 027669 0138 027063 ac02"))
    #expect(try decode(encode(session).meta, []) == session)
    let copy = HistoryEntry.event(
      HistoryEvent(
        kind: .copied(from: try #require(DocumentID("ab")), at: 300), after: 0,
        time: Timestamp(nanoseconds: 2)))
    #expect(encode(copy).meta == hex("01 08 00 00 0200000000000000 026162 ac02"))
    #expect(try decode(encode(copy).meta, []) == copy)
    let undo = HistoryEntry.event(
      HistoryEvent(
        kind: .undo(
          UndoneChange(undone: SequenceSet([2...4, 300...300]), redone: SequenceSet(6...6)), to: 1),
        after: 400, time: Timestamp(nanoseconds: 2)))
    #expect(
      encode(undo).meta
        == hex("01 09 9003 00 0200000000000000 02 02 02 a802 00 01 06 00 02"))
    #expect(try decode(encode(undo).meta, []) == undo)
  }

  @Test(arguments: UInt64(0)..<100)
  func entriesComeBack(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    let entries = generator.history(count: 100)
    var meta = ByteWriter()
    var content = ByteWriter()
    for entry in entries { RecordCodec.encode(entry, meta: &meta, content: &content) }
    let (metaBytes, contentBytes) = (meta.bytes, content.bytes)
    try ByteReader.reading(metaBytes) { (meta) throws(CodecError) in
      try ByteReader.reading(contentBytes) { (content) throws(CodecError) in
        for entry in entries {
          let decoded = try RecordCodec.decode(meta: &meta, content: &content)
          #expect(decoded == entry)
          // Equal strings may differ in bytes; the bytes may not.
          #expect(encode(decoded) == encode(entry))
        }
        try meta.expectEnd()
        try content.expectEnd()
      }
    }
  }

  @Test func halvesOfAPairStayApart() throws {
    for unit: UInt16 in [0xD83D, 0xDE00] {
      let action = EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(units: [unit]))
      let entry = HistoryEntry.edit(Edit(sequence: 1, action: action))
      #expect(encode(entry).content.count == 3)
      #expect(try decode(encode(entry).meta, encode(entry).content) == entry)
    }
  }

  @Test func numbersAtTheirEndsComeBack() throws {
    let most = EditAction.textLengthMax
    for (range, text) in [(most..<most, ""), (0..<most, ""), (most - 1..<most - 1, "a")] {
      let edit = Edit(
        sequence: RecordCodec.sequenceMax,
        action: EditAction(replacing: UTF16Range(range), with: UTF16Text(text)),
        origin: .external, transaction: 1, counter: .max, time: Timestamp(nanoseconds: .min),
        clientTime: Timestamp(nanoseconds: .max))
      let (meta, content) = encode(.edit(edit))
      #expect(try decode(meta, content) == .edit(edit))
    }
  }

  /// Damage shows as an error or as another entry that is sound enough to be encoded again.
  @Test(arguments: UInt64(0)..<20)
  func damageNeverTraps(seed: UInt64) throws {
    var generator = EntryGenerator(seed: seed)
    for entry in generator.history(count: 8) + [typed] {
      let (meta, content) = encode(entry)
      for damaged in meta.flips {
        if let decoded = try? decode(damaged, content) {
          #expect(encode(decoded) == (damaged, content))
        }
      }
      for damaged in content.flips {
        if let decoded = try? decode(meta, damaged) {
          #expect(encode(decoded) == (meta, damaged))
        }
      }
      for cut in meta.cuts { #expect(throws: CodecError.self) { try decode(cut, content) } }
      for cut in content.cuts { #expect(throws: CodecError.self) { try decode(meta, cut) } }
    }
  }

  @Test(arguments: [
    // Flags that no event has.
    ("81 03 01 00 0000000000000000", "", CodecError.Problem.unknown),
    ("03 03 01 00 0000000000000000", "", .unknown), ("41 03 01 00 0000000000000000", "", .unknown),
    // An origin, a kind of change, a kind of event that there is not.
    ("02 09 01 00 00 00 00 0000000000000000", "", .unknown),
    ("02 40 01 00 00 00 00 0000000000000000", "", .unknown),
    ("01 0a 01 00 0000000000000000", "", .unknown),
    // An edit that does nothing; one whose range, whose result, whose number is impossible.
    ("00 00 01 00 00 00 0000000000000000", "", .action),
    ("02 00 01 ffffffff07 01 00 00 0000000000000000", "", .tooLarge),
    ("02 00 01 8080808008 00 00 00 0000000000000000", "", .tooLarge),
    ("02 00 01 ffffffff07 00 01 01 0000000000000000", "61", .tooLarge),
    ("02 00 00 00 00 00 00 0000000000000000", "", .place),
    ("02 00 ffffffffffffffffff01 00 00 00 00 0000000000000000", "", .place),
    // Content that is not what meta says.
    ("02 00 01 00 00 01 02 0000000000000000", "6161", .mismatch),
    ("02 00 01 00 00 02 01 0000000000000000", "6161", .mismatch),
    ("02 00 01 00 00 02 02 0000000000000000", "61", .truncated),
    ("02 00 01 00 00 ffffffff07 01 0000000000000000", "61", .truncated),
    ("02 00 01 00 00 01 ffffffffffffffff7f 0000000000000000", "61", .truncated),
    ("02 00 01 00 00 01 01 0000000000000000", "80", .wtf8),
    ("01 03 01 01 0000000000000000", "61", .mismatch),
    // Zeros that are told by a flag that is not set; a transaction from before the first edit.
    ("06 00 01 00 00 00 00 0000000000000000 00", "", .overlong),
    ("22 00 01 00 00 00 00 0000000000000000 00", "", .overlong),
    ("06 00 02 00 00 00 00 0000000000000000 02", "", .place),
    // Names.
    ("12 00 01 00 00 00 00 0000000000000000 00", "", .name),
    ("12 00 01 00 00 00 00 0000000000000000 8101", "", .tooLarge),
    ("0a 00 01 00 00 00 00 0000000000000000 05", "", .truncated),
    ("01 06 01 00 0000000000000000 00", "", .name),
    ("01 06 01 00 0000000000000000 8560", "", .tooLarge),
    ("01 01 01 00 0000000000000000 00", "", .truncated),
    // A copy of a document without a name, and without a version.
    ("01 08 01 00 0000000000000000 00 01", "", .name),
    ("01 08 01 00 0000000000000000 0161", "", .truncated),
    // An undo of edit 0, of an edit after it, of ranges without a gap, of an edit that it redoes; one that
    // leads to a later version.
    ("01 09 05 00 0000000000000000 01 00 00 00 00", "", .place),
    ("01 09 05 00 0000000000000000 01 05 01 00 00", "", .place),
    ("01 09 05 00 0000000000000000 02 01 00 01 00 00 00", "", .place),
    ("01 09 05 00 0000000000000000 01 01 00 01 01 00 00", "", .place),
    ("01 09 05 00 0000000000000000 00 00 07", "", .place),
    ("01 09 05 00 0000000000000000 ff01", "", .tooLarge),
    // A selection without ranges; a caret at the start of the edit as its end, as the whole, as a
    // range; two equal carets; ranges that overlap; too many; one before the text, one after the
    // longest; of reversed ranges: a removed text after its edit, a caret, none that is reversed, equal
    // ones in two directions.
    ("82 00 01 00 00 01 01 0000000000000000 00 00", "61", .overlong),
    ("82 00 01 00 00 01 01 0000000000000000 02 00", "61", .overlong),
    ("82 00 01 00 00 01 01 0000000000000000 03 00", "61", .overlong),
    ("82 00 01 00 00 01 01 0000000000000000 04 00 00 00", "61", .overlong),
    ("82 00 01 00 00 01 01 0000000000000000 00 05 04 00 00 00", "61", .action),
    ("82 00 01 00 00 01 01 0000000000000000 00 05 04 02 01 01", "61", .action),
    ("82 00 01 00 00 01 01 0000000000000000 00 8504", "61", .tooLarge),
    ("82 00 01 00 00 01 01 0000000000000000 00 04 01 00", "61", .tooLarge),
    ("82 00 01 00 00 01 01 0000000000000000 00 04 feffffff0f 01", "61", .tooLarge),
    ("82 00 01 00 00 01 01 0000000000000000 00 04 02", "61", .truncated),
    ("82 00 01 00 01 00 00 0000000000000000 00 8402", "", .overlong),
    ("82 00 01 00 00 01 01 0000000000000000 00 8502 00 01", "61", .overlong),
    ("82 00 01 00 00 01 01 0000000000000000 00 8502 00 04", "61", .overlong),
    ("82 00 01 00 00 01 01 0000000000000000 00 8602 00 04 03 05", "61", .action),
    ("82 00 01 00 00 01 01 0000000000000000 00 8502 00 ffffffff1f", "61", .tooLarge),
    // A client without a name, with a name that is too long; a process of more than 32 bits.
    ("01 07 01 00 0000000000000000 00 00 00 00", "", .name),
    ("01 07 01 00 0000000000000000 8102", "", .tooLarge),
    ("01 07 01 00 0000000000000000 0161 00 00 8080808010", "", .name),
  ])
  func otherBytesAreRefused(meta: String, content: String, problem: CodecError.Problem) {
    let error = #expect(throws: CodecError.self) { try decode(hex(meta), hex(content)) }
    #expect(error?.problem == problem)
  }
}
