import EditJSON
package import EditLogFormat
package import EditModel

/// The client's first frame: who it is. All its batches are requests of one session.
package struct NativeHello: Hashable, Sendable {
  package var session: SessionID
  /// The client; nil if it does not describe itself.
  package var client: SessionDescription?
  /// The default author of the edits.
  package var author: String?

  package init(client: SessionDescription?, session: SessionID, author: String? = nil) {
    (self.client, self.session, self.author) = (client, session, author)
  }

  /// The session, if its client describes itself.
  package var identity: ClientIdentity? {
    client.flatMap { ClientIdentity(session: session, client: $0, author: author) }
  }

  package func write(to bytes: inout ByteWriter) {
    NativeFrame.write(.hello, to: &bytes) { body in
      body.write(fixed: NativeFrame.version)
      body.write(string: client?.client ?? "")
      body.write(string: session.name)
      body.write(string: author ?? "")
      body.write(string: client?.version ?? "")
      body.write(string: client?.host ?? "")
      body.write(varint: UInt64(client?.process ?? 0))
    }
  }

  /// - Throws: `newerFormat` for a version that this daemon does not speak, `invalidParams`.
  package init(_ body: UnsafeRawBufferPointer) throws(ProtocolError) {
    var reader = ByteReader(body)
    do throws(CodecError) {
      let version: UInt16 = try reader.read()
      guard version == NativeFrame.version else { throw reader.error(.unknown) }
      let name = try Self.name(&reader)
      guard let session = SessionID(try reader.readString(sizeMax: SessionID.sizeMax)) else {
        throw reader.error(.name)
      }
      let author = try reader.readString(sizeMax: AppendRequest.authorSizeMax)
      (self.session, self.author) = (session, author.isEmpty ? nil : author)
      // Earlier clients send nothing more.
      var (clientVersion, host, process): (String?, String?, UInt32?)
      if reader.remaining > 0 {
        (clientVersion, host) = (try Self.name(&reader), try Self.name(&reader))
        guard let number = UInt32(exactly: try reader.readVarint()) else {
          throw reader.error(.tooLarge)
        }
        process = number == 0 ? nil : number
      }
      try reader.expectEnd()
      client = name.flatMap {
        SessionDescription(client: $0, version: clientVersion, host: host, process: process)
      }
    } catch {
      throw ProtocolError(
        .invalidParams,
        """
        hello: \(error); it has the version \(NativeFrame.version), the client, the session, the \
        author, and the client's version, host and process
        """)
    }
  }

  /// A string of at most 256 bytes; nil if it is empty.
  private static func name(_ reader: inout ByteReader) throws(CodecError) -> String? {
    let name = try reader.readString(sizeMax: SessionDescription.nameSizeMax)
    return name.isEmpty ? nil : name
  }
}

/// How many bytes of batches the client may have sent since the connection began.
package struct NativeGrant: Hashable, Sendable {
  package var byteCount: UInt64
  /// The size in bytes of the largest body that the daemon takes.
  package var bodySizeMax: UInt32

  package init(byteCount: UInt64, bodySizeMax: UInt32) {
    (self.byteCount, self.bodySizeMax) = (byteCount, bodySizeMax)
  }

  package func write(to bytes: inout ByteWriter) {
    NativeFrame.write(.grant, to: &bytes) { body in
      body.write(fixed: byteCount)
      body.write(fixed: bodySizeMax)
    }
  }

  package init(_ reader: inout ByteReader) throws(CodecError) {
    byteCount = try reader.read()
    bodySizeMax = try reader.read()
  }
}

/// The acknowledgement of batches whose counters follow one another, and whose edits do too.
package struct NativeAck: Hashable, Sendable {
  package var counters: ClosedRange<UInt64>
  /// The sequence numbers of all their edits.
  package var edits: ClosedRange<SequenceNumber>
  /// True if they were logged before.
  package var isDuplicate = false
  /// The head of the document's hash chain after the last edit.
  package var head: ChainHead?

  package init(
    counters: ClosedRange<UInt64>, edits: ClosedRange<SequenceNumber>, isDuplicate: Bool = false,
    head: ChainHead? = nil
  ) {
    (self.counters, self.edits) = (counters, edits)
    (self.isDuplicate, self.head) = (isDuplicate, head)
  }

  private enum Flag {
    static let duplicate: UInt8 = 1 << 0
    static let head: UInt8 = 1 << 1
  }

  package func write(to bytes: inout ByteWriter) {
    NativeFrame.write(.ack, to: &bytes) { body in
      body.write((isDuplicate ? Flag.duplicate : 0) | (head == nil ? 0 : Flag.head))
      body.write(fixed: counters.lowerBound)
      body.write(fixed: counters.upperBound)
      body.write(fixed: edits.lowerBound)
      body.write(fixed: edits.upperBound)
      head?.withUnsafeBytes { body.write(bytes: $0) }
    }
  }

  package init(_ reader: inout ByteReader) throws(CodecError) {
    let flags = try reader.readByte()
    guard flags & ~(Flag.duplicate | Flag.head) == 0 else { throw reader.error(.unknown) }
    isDuplicate = flags & Flag.duplicate != 0
    counters = try Self.range(&reader)
    edits = try Self.range(&reader)
    guard flags & Flag.head != 0 else { return }
    head = ChainHead(bytes: [UInt8](try reader.readBytes(ChainHead.size)))
  }

  private static func range(_ reader: inout ByteReader) throws(CodecError) -> ClosedRange<UInt64> {
    let (first, last): (UInt64, UInt64) = (try reader.read(), try reader.read())
    guard first <= last else { throw reader.error(.place) }
    return first...last
  }
}

/// The refusal of a batch; with counter 0, of the connection, which then ends.
package struct NativeNack: Hashable, Sendable {
  package var counter: UInt64
  package var error: ProtocolError

  package init(counter: UInt64, _ error: ProtocolError) {
    (self.counter, self.error) = (counter, error)
  }

  package func write(to bytes: inout ByteWriter) {
    NativeFrame.write(.nack, to: &bytes) { body in
      body.write(fixed: counter)
      error.write(to: &body)
    }
  }

  package init(_ reader: inout ByteReader) throws(CodecError) {
    counter = try reader.read()
    error = try ProtocolError(&reader)
  }
}

extension ProtocolError {
  /// Appends the code, the message and the details.
  func write(to body: inout ByteWriter) {
    body.write(fixed: Int32(code.rawValue))
    body.write(string: message)
    body.write(string: String(decoding: JSON.object(details).serialized(), as: UTF8.self))
  }

  init(_ reader: inout ByteReader) throws(CodecError) {
    let number: Int32 = try reader.read()
    let message = try reader.readString()
    let place = reader
    guard case .object(let details)? = try? JSON.parse(try reader.readString()) else {
      throw place.error(.utf8)
    }
    self.init(Code(rawValue: Int(number)) ?? .internalError, message, details: details)
  }
}

/// A frame of the daemon.
package enum NativeAnswer: Hashable, Sendable {
  case grant(NativeGrant)
  case ack(NativeAck)
  case nack(NativeNack)
  /// The bytes of the ping that it answers.
  case pong([UInt8])
  case subscribed(SubscribeAnswer)
  case delivered(Delivery)
  case ended(NativeEnd)

  /// Reads a whole frame.
  package init(_ frame: UnsafeRawBufferPointer) throws(ProtocolError) {
    do {
      let (kind, body) = try NativeFrame.open(frame)
      var reader = ByteReader(body)
      switch kind {
      case .grant: self = .grant(try NativeGrant(&reader))
      case .ack: self = .ack(try NativeAck(&reader))
      case .nack: self = .nack(try NativeNack(&reader))
      case .pong: self = .pong([UInt8](try reader.readBytes(reader.remaining)))
      case .subscribed: self = .subscribed(try SubscribeAnswer(&reader))
      case .deliver: self = .delivered(try Delivery(&reader))
      case .ended: self = .ended(try NativeEnd(&reader))
      case .hello, .batch, .ping, .subscribe, .credit, .unsubscribe:
        throw FrameError.unknownKind(kind.rawValue)
      }
      try reader.expectEnd()
    } catch {
      throw ProtocolError(.parseError, "the daemon sent a frame that cannot be read: \(error)")
    }
  }
}
