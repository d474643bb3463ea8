import EditLog
import EditModel
import TestSupport

/// A client's run: it numbers its requests and sends each until it is acknowledged.
struct SimulatedClient {
  struct Request: Hashable {
    var session: SessionID
    var counter: UInt64
    var document: DocumentID
    var count: Int

    /// The text of an edit says which it is.
    func text(_ index: Int) -> String { "\(session.name):\(counter):\(index)" }
  }

  /// What the server said.
  struct Ack {
    var sequence: SequenceNumber
    /// Nil in the answer to a request that was sent again.
    var head: ChainHead?
  }

  let session: SessionID
  private var counter: UInt64 = 0
  /// The request under way.
  private(set) var request: Request?
  private(set) var acknowledged: [(request: Request, ack: Ack)] = []

  init(_ session: SessionID) { self.session = session }

  /// The request to send now: the one under way, or the next.
  mutating func send(_ documents: [DocumentID], _ random: inout SplitMix64) -> Request {
    if let request { return request }
    counter += 1
    let next = Request(
      session: session, counter: counter,
      document: documents[Int(random.next() % UInt64(documents.count))],
      count: Int(random.next() % 6) + 1)
    request = next
    return next
  }

  mutating func receive(_ ack: Ack) {
    guard let request else { return }
    acknowledged.append((request, ack))
    self.request = nil
  }
}
