package import EditLogFormat
package import EditModel

/// A client's frame about one of its subscriptions.
package struct NativeFollowing: Hashable, Sendable {
  /// The number of the subscription. The client counts its subscriptions on the connection.
  package let number: Int
  package let request: FollowingRequest

  /// The largest number of a subscription.
  package static let numberMax = Int(Int32.max)

  /// A subscription with a number above those of the client's earlier ones on the connection.
  package init(_ number: Int, _ request: SubscribeRequest) {
    (self.number, self.request) = (number, .subscribe(request))
  }

  package init(_ request: CreditRequest) {
    (number, self.request) = (request.subscription, .credit(request))
  }

  package init(_ request: UnsubscribeRequest) {
    (number, self.request) = (request.subscription, .unsubscribe(request))
  }

  package func write(to bytes: inout ByteWriter) {
    switch request {
    case .subscribe(let request):
      NativeFrame.write(.subscribe, to: &bytes) { body in
        body.write(count: number)
        body.write(count: request.credit)
        body.write(string: request.document?.name ?? "")
        body.write(request.from)
      }
    case .credit(let request):
      NativeFrame.write(.credit, to: &bytes) { body in
        body.write(count: number)
        body.write(count: request.credit)
      }
    case .unsubscribe:
      NativeFrame.write(.unsubscribe, to: &bytes) { $0.write(count: number) }
    }
  }

  /// Reads the body of a frame.
  ///
  /// - Throws: `invalidParams`, also for a frame of another kind.
  package init(
    _ kind: NativeFrame.Kind, _ body: UnsafeRawBufferPointer
  ) throws(ProtocolError) {
    var reader = ByteReader(body)
    do throws(CodecError) {
      switch kind {
      case .subscribe:
        number = try reader.readSubscription()
        let credit = try reader.readCount(max: SubscribeRequest.creditMax)
        let document = try reader.readDocumentIfAny()
        request = .subscribe(
          SubscribeRequest(document, from: try reader.readPlaceIfAny(), credit: credit))
      case .credit:
        number = try reader.readSubscription()
        let place = reader
        let credit = try reader.readCount(max: SubscribeRequest.creditMax)
        guard credit > 0 else { throw place.error(.place) }
        request = .credit(CreditRequest(subscription: number, credit: credit))
      case .unsubscribe:
        number = try reader.readSubscription()
        request = .unsubscribe(UnsubscribeRequest(subscription: number))
      default: throw reader.error(.unknown)
      }
      try reader.expectEnd()
    } catch {
      throw ProtocolError(
        .invalidParams,
        """
        \(kind): \(error); it has the subscription's number, 1 to \(Self.numberMax)\
        \(kind == .unsubscribe ? "" : ", and credit, at most \(SubscribeRequest.creditMax)")\
        \(kind == .subscribe ? ", and the document and the place" : "")
        """)
    }
  }
}

/// The end of a subscription, or of one document of it.
package struct NativeEnd: Hashable, Sendable {
  package var subscription: Int
  /// The document about which nothing more is sent. Nil if the request was refused.
  package var document: DocumentID?
  package var error: ProtocolError

  package init(subscription: Int, document: DocumentID? = nil, _ error: ProtocolError) {
    (self.subscription, self.document, self.error) = (subscription, document, error)
  }

  package func write(to bytes: inout ByteWriter) {
    NativeFrame.write(.ended, to: &bytes) { body in
      body.write(count: subscription)
      body.write(string: document?.name ?? "")
      error.write(to: &body)
    }
  }

  init(_ reader: inout ByteReader) throws(CodecError) {
    subscription = try reader.readSubscription()
    document = try reader.readDocumentIfAny()
    error = try ProtocolError(&reader)
  }
}

extension SubscribeAnswer {
  package func write(to bytes: inout ByteWriter) {
    NativeFrame.write(.subscribed, to: &bytes) { body in
      body.write(count: subscription)
      body.write(from)
    }
  }

  init(_ reader: inout ByteReader) throws(CodecError) {
    self.init(
      subscription: try reader.readSubscription(), from: try reader.readPlaceIfAny())
  }
}

extension Delivery {
  /// The frame of the delivery, with the entries as records of the log; or that of its error.
  ///
  /// - Throws: `tooLarge` if the entries take more than 4 GiB.
  package func nativeFrame() throws(ProtocolError) -> [UInt8] {
    var bytes = ByteWriter()
    if let error {
      NativeEnd(subscription: subscription, document: document, error).write(to: &bytes)
      return bytes.bytes
    }
    let sizeMax = Int(UInt32.max)
    try NativeFrame.write(.deliver, to: &bytes) { (body) throws(ProtocolError) in
      let start = body.count
      body.write(count: subscription)
      body.write(string: document.name)
      body.write(next)
      body.write(count: entries.count)
      var scratch = RecordScratch()
      for entry in entries {
        scratch.write(entry, to: &body)
        guard body.count - start <= sizeMax else {
          throw .tooLarge("a delivery", size: body.count - start, sizeMax: sizeMax)
        }
      }
    }
    return bytes.bytes
  }

  init(_ reader: inout ByteReader) throws(CodecError) {
    let subscription = try reader.readSubscription()
    let place = reader
    guard let document = try reader.readDocumentIfAny(),
      let next = try reader.readPlaceIfAny()
    else { throw place.error(.name) }
    let count = try reader.readCount(max: reader.remaining / HistoryEntry.recordSizeMin)
    var entries: [HistoryEntry] = []
    entries.reserveCapacity(count)
    while entries.count < count { entries.append(try HistoryEntry(record: &reader)) }
    self.init(subscription: subscription, document: document, entries: entries, next: next)
  }
}

// A place is the number of the edit before it plus 1, and the number of events; or 0 if there is none.
extension ByteWriter {
  fileprivate mutating func write(_ place: HistoryPosition?) {
    guard let place else { return write(varint: 0) }
    write(varint: place.after == .max ? .max : place.after + 1)
    write(count: place.events)
  }
}

extension ByteReader {
  fileprivate mutating func readPlaceIfAny() throws(CodecError) -> HistoryPosition? {
    let after = try readVarint()
    guard after > 0 else { return nil }
    return HistoryPosition(after: after - 1, events: try readCount(max: .max))
  }

  fileprivate mutating func readSubscription() throws(CodecError) -> Int {
    let place = self
    let number = try readCount(max: NativeFollowing.numberMax)
    guard number > 0 else { throw place.error(.place) }
    return number
  }

  /// A document's name; nil if it is empty.
  fileprivate mutating func readDocumentIfAny() throws(CodecError) -> DocumentID? {
    let place = self
    let name = try readString(sizeMax: DocumentID.sizeMax)
    guard !name.isEmpty else { return nil }
    guard let document = DocumentID(name) else { throw place.error(.name) }
    return document
  }
}
