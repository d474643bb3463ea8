import EditLog
import EditModel
import TestSupport

/// What the histories have to be: plain lists.
struct SimulatedModel {
  private var lists: [DocumentID: [HistoryEntry]] = [:]
  private var durable: [DocumentID: Int] = [:]

  mutating func submit(_ entries: [HistoryEntry], to document: DocumentID) {
    lists[document, default: []] += entries
  }

  mutating func withdraw(_ count: Int, from document: DocumentID) {
    lists[document]?.removeLast(count)
  }

  mutating func acknowledge(_ document: DocumentID) {
    durable[document] = lists[document]?.count
  }

  /// Compares the lists with a store that was opened, and continues from what it has. Returns
  /// the number of all entries.
  mutating func settle(_ writer: StoreWriter, _ documents: [DocumentID]) throws -> Int {
    var count = 0
    for document in documents {
      let found = try entries(writer.history(of: document))
      let submitted = lists[document] ?? []
      guard found.count >= durable[document] ?? 0 else {
        throw StateCheck.Failure(
          what: "lost", detail: "\(found.count) of \(durable[document] ?? 0) of \(document)")
      }
      guard submitted.starts(with: found) else {
        throw StateCheck.Failure(what: "wrong entries", detail: "\(found.count) of \(document)")
      }
      (lists[document], durable[document]) = (found, found.count)
      count += found.count
    }
    return count
  }

  func lasts(_ writer: StoreWriter) throws -> [DocumentID: UInt64] {
    var lasts: [DocumentID: UInt64] = [:]
    for document in lists.keys { lasts[document] = try writer.lastSequence(of: document) ?? 0 }
    return lasts
  }

  /// Each request that was acknowledged is there once; each other once or not at all; those of
  /// a session in their order.
  func checkOnce(_ clients: [SimulatedClient], _ writer: StoreWriter?) throws {
    if let violation = writer?.invariantViolation() {
      throw StateCheck.Failure(what: "the writer's memory is inconsistent", detail: violation)
    }
    var seen: Set<String> = []
    var counters: [String: UInt64] = [:]
    for document in lists.keys {
      for case .edit(let edit) in try entries(writer?.history(of: document)) {
        let text = String(describing: edit.action.replacement.map(String.init) ?? "")
        guard seen.insert(text).inserted else {
          throw StateCheck.Failure(what: "doubled", detail: text)
        }
        let key = "\(document) \(edit.session?.name ?? "")"
        guard counters[key] ?? 0 <= edit.counter else {
          throw StateCheck.Failure(what: "out of order", detail: text)
        }
        counters[key] = edit.counter
      }
    }
    for client in clients {
      for (request, _) in client.acknowledged {
        for index in 0..<request.count where !seen.contains(request.text(index)) {
          throw StateCheck.Failure(what: "lost", detail: request.text(index))
        }
      }
    }
  }

  /// Acknowledgements are confirmed by the history they came from.
  func checkHeads(
    _ clients: [SimulatedClient], _ writer: StoreWriter?, onlyLast: Bool
  ) throws {
    for client in clients {
      for (request, ack) in onlyLast ? client.acknowledged.suffix(1) : client.acknowledged {
        guard let head = ack.head, let history = try writer?.history(of: request.document)
        else { continue }
        guard try history.confirms(head, at: ack.sequence) else {
          throw StateCheck.Failure(
            what: "an acknowledgement is not confirmed",
            detail: "\(request.document) at \(ack.sequence)")
        }
      }
    }
  }

  /// An older copy of the disk confirms what was acknowledged before it was taken, and nothing
  /// after.
  func checkRollback(
    _ clients: [SimulatedClient], _ store: Store, _ lasts: [DocumentID: UInt64]
  ) throws {
    for client in clients {
      for (request, ack) in client.acknowledged {
        guard let head = ack.head else { continue }
        let isOld = ack.sequence <= lasts[request.document] ?? 0
        let isConfirmed =
          try store.history(of: request.document)?.confirms(head, at: ack.sequence) ?? false
        guard isOld == isConfirmed else {
          throw StateCheck.Failure(
            what: isOld ? "an acknowledgement is not confirmed" : "a rollback is not noticed",
            detail: "\(request.document) at \(ack.sequence)")
        }
      }
    }
  }

  /// After the disk lied: nothing wrong, and whatever is missing is told or shown by a head.
  func checkTold(
    _ clients: [SimulatedClient], _ writer: StoreWriter, _ documents: [DocumentID]
  ) throws {
    let isTold = !writer.recovery.isSound
    for document in documents {
      do {
        let history = try writer.history(of: document)
        let found = try entries(history)
        let submitted = lists[document] ?? []
        guard isTold || !(history?.damage.isEmpty ?? true) || submitted.starts(with: found) else {
          throw StateCheck.Failure(what: "wrong entries", detail: "after a lie: \(document)")
        }
        guard !isTold, found.count < durable[document] ?? 0 else { continue }
        try checkShown(clients, document, history)
      } catch let error as LogError {
        guard case .damaged = error else { throw error }
      }
    }
  }

  /// The last acknowledgement is not confirmed by a history that lacks its edits.
  private func checkShown(
    _ clients: [SimulatedClient], _ document: DocumentID, _ history: History?
  ) throws {
    for client in clients {
      for (request, ack) in client.acknowledged where request.document == document {
        guard let head = ack.head, ack.sequence > history?.lastSequence ?? 0 else { continue }
        if try history?.confirms(head, at: ack.sequence) ?? false {
          throw StateCheck.Failure(what: "silently shorter", detail: "\(document)")
        }
      }
    }
  }
}
