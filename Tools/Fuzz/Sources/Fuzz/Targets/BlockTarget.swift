import EditLogFormat
import EditModel
import TestSupport

/// A block: its header, then its payload.
struct BlockTarget: Target {
  var format: (any Format)? { BlockFormat() }
  /// What a block that refers back refers to.
  private let context: BlockContext

  init() {
    var context = BlockContext()
    _ = BlockCodec.encode(
      MixedHistory(seed: 9, editCount: 40).entries[...], level: 6, after: &context)
    self.context = context
  }

  func seeds() -> [[UInt8]] {
    let mixed = (UInt64(1)...4).map { MixedHistory(seed: $0, editCount: 60).entries }
    let generated = (UInt64(1)...3).map { seed in
      var generator = EntryGenerator(seed: seed)
      return generator.history(count: 40)
    }
    let alone = (mixed + generated).map { BlockCodec.encode($0, level: 6) }
    var context = context
    let continued = BlockCodec.encode(mixed[0][...], level: 6, after: &context)
    return (alone + [continued]).map { bytes($0) }
  }

  private func bytes(_ block: EncodedBlock) -> [UInt8] {
    var writer = ByteWriter()
    block.header.encode(to: &writer)
    return writer.bytes + block.payload
  }

  func run(_ bytes: [UInt8]) {
    guard bytes.count >= BlockHeader.size,
      let header = try? ByteReader.reading(
        Array(bytes[..<BlockHeader.size]),
        { reader throws(CodecError) in
          try BlockHeader(from: &reader)
        }),
      let block = decode(header, Array(bytes[BlockHeader.size...]))
    else { return }
    let spans = try? block.spans()
    guard let entries = try? block.entries() else { return }
    if spans == nil { contradiction("entries are read and spans are not") }
    check(BlockCodec.encode(entries, level: 1), holds: entries)
  }

  private func decode(_ header: BlockHeader, _ payload: [UInt8]) -> DecodedBlock? {
    try? withBytes(of: payload) { payload throws(CodecError) in
      try DecodedBlock(header, payload: payload, after: context)
    }
  }

  private func check(_ block: EncodedBlock, holds entries: [HistoryEntry]) {
    guard let again = try? decode(block.header, block.payload)?.entries() else {
      contradiction("a block's encoding does not decode")
    }
    if again != entries { contradiction("a block's entries change when encoded") }
  }
}
