package import EditModel

extension RecordCodec {
  private enum Kind {
    static let mark: UInt8 = 0
    static let baseline: UInt8 = 1
    static let saved: UInt8 = 2
    static let closed: UInt8 = 3
    static let closedUnsaved: UInt8 = 4
    static let divergence: UInt8 = 5
    static let renamed: UInt8 = 6
    static let session: UInt8 = 7
    static let copied: UInt8 = 8
    static let undo: UInt8 = 9
  }

  /// Appends an event.
  package static func encode(
    _ event: HistoryEvent, meta: inout ByteWriter, content: inout ByteWriter
  ) {
    precondition(event.after <= sequenceMax, "an event is out of place")
    let start = content.count
    if case .mark(var label, _) = event.kind {
      label.withUTF8 { content.write(bytes: UnsafeRawBufferPointer($0)) }
    }
    meta.write(
      Flag.event
        | flags(author: event.author, session: event.session, counter: event.counter))
    meta.write(code(of: event.kind))
    meta.write(varint: event.after)
    meta.write(count: content.count - start)
    meta.write(fixed: event.time.nanoseconds)
    encodeSource(
      author: event.author, session: event.session, counter: event.counter, to: &meta)
    switch event.kind {
    case .mark(_, let at): meta.write(varint: at)
    case .baseline(let digest), .saved(let digest): meta.write(bytes: digest.bytes)
    case .divergence(let ours, let theirs):
      meta.write(bytes: ours.bytes)
      meta.write(bytes: theirs.bytes)
    case .renamed(let name): meta.write(string: name.name)
    case .session(let description): encode(description, to: &meta)
    case .copied(let name, let sequence):
      meta.write(string: name.name)
      meta.write(varint: sequence)
    case .undo(let change, let target):
      encode(change.undone, to: &meta)
      encode(change.redone, to: &meta)
      // 0 if there is none.
      meta.write(varint: target.map { $0 + 1 } ?? 0)
    case .closed: break
    }
  }

  private static func code(of kind: HistoryEvent.Kind) -> UInt8 {
    switch kind {
    case .mark: Kind.mark
    case .baseline: Kind.baseline
    case .saved: Kind.saved
    case .closed(let unsaved): unsaved ? Kind.closedUnsaved : Kind.closed
    case .divergence: Kind.divergence
    case .renamed: Kind.renamed
    case .session: Kind.session
    case .copied: Kind.copied
    case .undo: Kind.undo
    }
  }

  static func decodeEvent(
    _ flags: UInt8, _ meta: inout ByteReader, _ content: inout ByteReader
  ) throws(CodecError) -> HistoryEvent {
    let place = meta
    let code = try meta.readByte()
    let after = try meta.readVarint()
    guard after <= sequenceMax else { throw place.error(.place) }
    let size = try meta.readCount(max: .max)
    guard size == 0 || code == Kind.mark else { throw place.error(.mismatch) }
    let time = Timestamp(nanoseconds: try meta.read())
    let (author, session, counter) = try decodeSource(flags, &meta)
    let kind: HistoryEvent.Kind =
      switch code {
      case Kind.mark:
        .mark(label: try content.readString(size: size), at: try meta.readVarint())
      case Kind.baseline: .baseline(try decodeDigest(&meta))
      case Kind.saved: .saved(try decodeDigest(&meta))
      case Kind.closed: .closed(unsaved: false)
      case Kind.closedUnsaved: .closed(unsaved: true)
      case Kind.divergence:
        .divergence(ours: try decodeDigest(&meta), theirs: try decodeDigest(&meta))
      case Kind.renamed: .renamed(from: try decodeName(&meta))
      case Kind.session: .session(try decodeDescription(&meta))
      case Kind.copied: .copied(from: try decodeName(&meta), at: try meta.readVarint())
      case Kind.undo: try decodeUndo(after: after, &meta)
      default: throw place.error(.unknown)
      }
    return HistoryEvent(
      kind: kind, after: after, time: time, author: author, session: session, counter: counter)
  }

  private static func decodeDigest(
    _ meta: inout ByteReader
  ) throws(CodecError) -> ContentDigest {
    guard let digest = ContentDigest(bytes: [UInt8](try meta.readBytes(32))) else {
      throw meta.error(.truncated)
    }
    return digest
  }

  /// An absent string is empty, an absent process 0.
  private static func encode(_ description: SessionDescription, to meta: inout ByteWriter) {
    meta.write(string: description.client)
    meta.write(string: description.version ?? "")
    meta.write(string: description.host ?? "")
    meta.write(varint: UInt64(description.process ?? 0))
  }

  private static func decodeDescription(
    _ meta: inout ByteReader
  ) throws(CodecError) -> SessionDescription {
    let place = meta
    func string() throws(CodecError) -> String? {
      let string = try meta.readString(sizeMax: SessionDescription.nameSizeMax)
      return string.isEmpty ? nil : string
    }
    let (client, version, host) = (try string(), try string(), try string())
    guard let process = UInt32(exactly: try meta.readVarint()), let client,
      let description = SessionDescription(
        client: client, version: version, host: host, process: process == 0 ? nil : process)
    else { throw place.error(.name) }
    return description
  }

  /// The ranges, each relative to the one before.
  private static func encode(_ set: SequenceSet, to meta: inout ByteWriter) {
    meta.write(count: set.ranges.count)
    var last: SequenceNumber = 0
    for range in set.ranges {
      meta.write(varint: range.lowerBound - last)
      meta.write(varint: range.upperBound - range.lowerBound)
      last = range.upperBound
    }
  }

  /// The sets of an undo that follows the edit `after`.
  private static func decodeUndo(
    after: SequenceNumber, _ meta: inout ByteReader
  ) throws(CodecError) -> HistoryEvent.Kind {
    let place = meta
    let undone = try decodeSet(max: after, &meta)
    let redone = try decodeSet(max: after, &meta)
    let target = try meta.readVarint()
    guard undone.intersection(redone).isEmpty, target <= after + 1 else {
      throw place.error(.place)
    }
    return .undo(
      UndoneChange(undone: undone, redone: redone), to: target == 0 ? nil : target - 1)
  }

  private static func decodeSet(
    max: SequenceNumber, _ meta: inout ByteReader
  ) throws(CodecError) -> SequenceSet {
    // A range takes two bytes at least.
    let count = try meta.readCount(max: meta.remaining)
    var (set, last) = (SequenceSet(), SequenceNumber(0))
    for _ in 0..<count {
      let place = meta
      let (gap, length) = (try meta.readVarint(), try meta.readVarint())
      // Between two ranges is a number that is in neither; 0 is no edit.
      guard gap > (set.isEmpty ? 0 : 1), gap <= max - last, length <= max - last - gap else {
        throw place.error(.place)
      }
      set.append(last + gap...last + gap + length)
      last += gap + length
    }
    return set
  }

  private static func decodeName(_ meta: inout ByteReader) throws(CodecError) -> DocumentID {
    let place = meta
    guard let name = DocumentID(stored: try meta.readString(sizeMax: DocumentID.sizeMax)) else {
      throw place.error(.name)
    }
    return name
  }
}
