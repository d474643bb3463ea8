import EditModel
import EditProtocol

/// How far a dead bridge's spool was delivered: as with messages of our own, what comes next is
/// sent on top of the documents that were open before it.
struct SpoolDelivery {
  /// Where the first record is that is not acknowledged.
  var offset: Int
  /// What was open before it.
  var open: OpenDocuments
  /// Attempts since it last went on.
  var failures = 0
}

// Spools of bridges that ended before the daemon took their messages: delivered before anything
// of this bridge's own, because they were said before it.
extension Courier {
  /// Files taken at once; the next connection, or the next bridge, takes the others.
  private static let fileCountMax = 64
  /// Attempts without progress after which a file is left to the next bridge.
  private static let attemptsMax = 10

  /// Delivers what dead bridges left. Whoever holds a file's lock delivers it; another bridge
  /// meanwhile goes on without it.
  ///
  /// - Throws: what ended a delivery. The file is as it was.
  func deliverSpools() async throws {
    for file in folder.takeDead(except: session, limit: Self.fileCountMax) {
      guard deliveries[file.path]?.failures ?? 0 < Self.attemptsMax else { continue }
      do { try await deliver(file) } catch {
        deliveries[file.path]?.failures += 1
        if deliveries[file.path]?.failures == Self.attemptsMax {
          note("\(file.path) could not be delivered; the next editor's start tries again")
        }
        throw error
      }
    }
  }

  private func deliver(_ file: SpoolFile) async throws {
    guard let (header, start) = try begin(file) else { return setAside(file) }
    if deliveries[file.path] == nil {
      deliveries[file.path] = SpoolDelivery(offset: start, open: OpenDocuments(header.open))
    }
    let client = try await EditLogClient.connect(to: configuration.socketPath)
    let result: Result<SpoolRecord.Reading, any Error>
    do {
      result = try await withTaskCancellationHandler {
        .success(try await deliver(file, header, over: client))
      } onCancel: {
        client.startClosing()
      }
      try? await client.notify("exit")
    } catch { result = .failure(error) }
    await client.close()
    if try result.get() == .damaged { setAside(file) } else { file.remove() }
    deliveries[file.path] = nil
  }

  /// A file's header, and where the first message is; nil where the file has none.
  private func begin(_ file: SpoolFile) throws(SpoolError) -> (SpoolHeader, Int)? {
    guard try file.startsRight(),
      case .record(let payload, let next) = try file.read(at: SpoolRecord.magic.count),
      let json = try? JSON.parse(payload, limits: .message),
      let header = try? SpoolHeader(json: json)
    else { return nil }
    return (header, next)
  }

  /// Delivers what is not yet delivered, and returns what is behind the last record.
  private func deliver(
    _ file: SpoolFile, _ header: SpoolHeader, over client: EditLogClient
  ) async throws -> SpoolRecord.Reading {
    guard var delivery = deliveries[file.path] else { return .end }
    var header = header
    header.open = delivery.open.sorted
    let wire = try await Wire(client, header)
    while true {
      let ending = try await deliverSome(of: file, &delivery, over: wire)
      try Task.checkCancellation()
      delivery.failures = 0
      deliveries[file.path] = delivery
      if let ending { return ending }
    }
  }

  /// Sends records until enough is under way, and waits for the answers. Returns what is behind
  /// the last record, nil where more are to be sent.
  private func deliverSome(
    of file: SpoolFile, _ delivery: inout SpoolDelivery, over wire: Wire
  ) async throws -> SpoolRecord.Reading? {
    let (answers, feed) = AsyncStream.makeStream(of: Wire.Answer.self)
    let start = delivery.offset
    var (count, ending) = (0, SpoolRecord.Reading?.none)
    while ending == nil, count < configuration.flightCountMax,
      delivery.offset - start < configuration.flightSizeMax
    {
      switch try file.read(at: delivery.offset) {
      case .record(let payload, let next):
        delivery.offset = next
        guard let request = Self.request(payload) else { continue }
        if let effect = delivery.open.effect(of: request.method, request.params) {
          delivery.open.apply(effect)
        }
        wire.send(request.ticket.counter, payload) { feed.yield($0) }
        count += 1
      case let other: ending = other
      }
    }
    for await answer in answers.prefix(count) { try settle(answer, file, delivery.failures) }
    return ending
  }

  private static func request(_ payload: [UInt8]) -> ForwardRequest? {
    guard let json = try? JSON.parse(payload, limits: .message) else { return nil }
    return try? ForwardRequest(json: json)
  }

  private func settle(_ answer: Wire.Answer, _ file: SpoolFile, _ failures: Int) throws {
    guard case .failure(let error) = answer.outcome else { return }
    switch error.remedy {
    case .tryAgain: throw error
    case .tryFewTimes where failures + 1 < Self.refusalsMax: throw error
    case .tryFewTimes, .giveUp:
      note("the daemon refused message \(answer.counter) of \(file.path) (\(error.code.name))")
    }
  }

  /// Keeps a file that cannot be read to its end, without trying it again.
  private func setAside(_ file: SpoolFile) {
    note("a part of \(file.path) cannot be read; it is kept as \(file.setAside())")
  }
}
