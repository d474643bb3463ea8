import EditLog
import EditModel
import TestSupport

/// The least a server does over a writer: it answers what was sent again with its first answer.
final class SimulatedServer {
  let writer: StoreWriter
  let disk: FaultyFileSystem
  private var sessions: [DocumentID: [SessionID: SessionMark]] = [:]
  private var times: [DocumentID: Timestamp] = [:]

  init(_ disk: FaultyFileSystem, seed: UInt64) throws(LogError) {
    self.disk = disk
    writer = try openWriter(disk, seed: seed)
  }

  /// The entries that a request becomes; nil if it was logged before.
  func entries(
    for request: SimulatedClient.Request, at now: Timestamp
  ) throws(LogError) -> [HistoryEntry]? {
    try load(request.document)
    if let mark = sessions[request.document]?[request.session], mark.counter >= request.counter {
      return nil
    }
    let last = try writer.lastSequence(of: request.document) ?? 0
    let time = max(now, times[request.document] ?? now)
    return (0..<request.count).map { index in
      .edit(
        Edit(
          sequence: last + UInt64(index) + 1,
          action: EditAction(
            replacing: UTF16Range(0..<0), with: UTF16Text(request.text(index))),
          session: request.session, counter: request.counter, time: time))
    }
  }

  /// The answer to a request that was logged before.
  func answer(_ request: SimulatedClient.Request) -> SimulatedClient.Ack {
    let mark = sessions[request.document]?[request.session]
    return .init(sequence: mark?.sequence ?? 0, head: nil)
  }

  func append(
    _ entries: [HistoryEntry], of request: SimulatedClient.Request
  ) throws(LogError) -> SimulatedClient.Ack {
    let receipts = try writer.append([(request.document, entries)])
    guard let receipt = receipts.first, case .edit(let last)? = entries.last else {
      return .init(sequence: 0, head: nil)
    }
    sessions[request.document, default: [:]][request.session] = SessionMark(
      counter: request.counter, sequence: receipt.lastSequence)
    times[request.document] = last.time
    return .init(sequence: receipt.lastSequence, head: receipt.head)
  }

  private func load(_ document: DocumentID) throws(LogError) {
    guard sessions[document] == nil else { return }
    sessions[document] = try writer.sessions(of: document)
    times[document] = try writer.history(of: document)?.summary().lastTime
  }
}
