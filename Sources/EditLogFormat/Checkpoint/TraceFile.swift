package import EditModel

/// What edits of one document cost as they happened: a cache that may be deleted at any time.
///
///     header (second = sequence of the last) | count: u32 | body size: u32 |
///     checksum of the header, of these 8 bytes and of the body: u32 | body
///
/// The body has for each edit, ascending: sequence: u64 | time: u64 | duration: u64 | span count: u8
/// | for each span, phase: u8 | start: u64 | duration: u64.
package enum TraceFile {
  /// The maximum number of traces.
  package static let countMax = 128
  /// The maximum number of spans of a trace.
  package static let spanCountMax = 32
  /// Bytes before the body.
  package static let frontSize = FileHeader.size + 12
  /// The maximum size of a file in bytes.
  package static let sizeMax = frontSize + countMax * (25 + spanCountMax * 17)

  /// The bytes of a file of the last `countMax` of these traces, which ascend.
  package static func encode(
    _ traces: [LiveTrace], store: StoreID, document: UInt64
  ) -> [UInt8] {
    let traces = traces.suffix(countMax)
    var body = ByteWriter()
    for trace in traces {
      body.write(fixed: trace.sequence)
      body.write(fixed: UInt64(bitPattern: trace.time.nanoseconds))
      body.write(fixed: trace.duration)
      let spans = trace.spans.prefix(spanCountMax)
      body.write(fixed: UInt8(spans.count))
      for span in spans {
        body.write(fixed: span.phase.rawValue)
        body.write(fixed: span.start)
        body.write(fixed: span.duration)
      }
    }
    var bytes = ByteWriter(capacity: frontSize + body.count)
    let header = FileHeader(
      .traces, store: store, number: document, second: traces.last?.sequence ?? 0)
    bytes.write(bytes: header.bytes)
    bytes.write(fixed: UInt32(traces.count))
    bytes.write(fixed: UInt32(body.count))
    bytes.write(fixed: checksum(bytes.bytes, body.bytes))
    bytes.write(bytes: body.bytes)
    return bytes.bytes
  }

  /// The traces in a file, ascending. Nil if it is damaged, of another version, or belongs to another
  /// store or document.
  package static func decode(_ bytes: [UInt8], store: StoreID, document: UInt64) -> [LiveTrace]? {
    guard bytes.count <= sizeMax, let header = bytes.withUnsafeBytes({ FileHeader(.traces, $0) }),
      header.isReadable, header.store == store, header.number == document
    else { return nil }
    let traces = try? ByteReader.reading(bytes) { reader throws(CodecError) in
      _ = try reader.readBytes(FileHeader.size)
      let (count, size) = (try reader.read(UInt32.self), try reader.read(UInt32.self))
      guard count <= countMax, size == bytes.count - frontSize,
        try reader.read(UInt32.self)
          == checksum(Array(bytes[..<(frontSize - 4)]), Array(bytes[frontSize...]))
      else { throw reader.error(.checksum) }
      var traces: [LiveTrace] = []
      for _ in 0..<count {
        let trace = try LiveTrace(&reader)
        guard traces.last.map({ $0.sequence < trace.sequence }) ?? true else {
          throw reader.error(.place)
        }
        traces.append(trace)
      }
      try reader.expectEnd()
      return traces
    }
    guard let traces, traces.last?.sequence ?? 0 == header.second else { return nil }
    return traces
  }

  private static func checksum(_ front: [UInt8], _ body: [UInt8]) -> UInt32 {
    CRC32C.checksum(front + body)
  }
}

extension LiveTrace {
  fileprivate init(_ reader: inout ByteReader) throws(CodecError) {
    let sequence = try reader.read(UInt64.self)
    let time = Timestamp(nanoseconds: Int64(bitPattern: try reader.read(UInt64.self)))
    let duration = try reader.read(UInt64.self)
    let count = try reader.readByte()
    guard count <= TraceFile.spanCountMax else { throw reader.error(.tooLarge) }
    var spans: [LiveSpan] = []
    for _ in 0..<count {
      let phase = try reader.readByte()
      let (start, length) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
      // Their sums are computed later.
      guard start <= duration, length <= duration - start else { throw reader.error(.place) }
      // Later versions may have other phases.
      guard let phase = LivePhase(rawValue: phase) else { continue }
      spans.append(LiveSpan(phase, start: start, duration: length))
    }
    self.init(sequence: sequence, time: time, spans: spans, duration: duration)
  }
}
