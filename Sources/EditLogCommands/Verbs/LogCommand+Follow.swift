import ArgumentParser
import EditClient
import EditModel
import EditProtocol
import EditQueries

// `log -f`.
extension LogCommand {
  /// Prints entries from the first one asked for on, and then each that is logged, until it is
  /// interrupted.
  func follow(in session: Session, from place: HistoryPosition) async throws {
    guard let socket = session.backend.socket else {
      throw ProtocolError(
        .unreachable,
        """
        -f needs the daemon, which tells what is logged; start editlogd, or leave out --store
        """)
    }
    if let pattern {
      try GrepRequest.check(pattern, isFixed: isFixed, ignoresCase: ignoreCase)
    }
    var (document, start) = (DocumentID?.none, place)
    let latest = try await session.ask(name, reading) { reference in
      document = reference.document
      return StateRequest(reference, VersionPart(at: .latest, limit: 1))
    }.sequence
    guard let document else { return }
    if let count, latest - min(latest, count) > start.after {
      start = HistoryPosition(after: latest - min(latest, count))
    }
    let follower = EditFollower(
      document, at: socket, from: start,
      note: { session.note("editlog: \($0)") }, silence: session.silence)
    var table = LogTable(session, isVerbose: verbose, isSingle: edits)
    for try await delivery in follower {
      let matches = try await matchingEdits(of: delivery, session)
      if isJSON {
        let entries = delivery.entries.filter { matches?.contains($0) ?? true }
        try session.printJSON(each: entries, .entry)
      } else {
        try await print(delivery, matches, &table, session)
      }
      try session.output.flush()
    }
  }

  /// Prints lines. The edits of a delivery that one undo takes back together share a line.
  private func print(
    _ delivery: Delivery, _ matches: Set<SequenceNumber>?, _ table: inout LogTable,
    _ session: Session
  ) async throws {
    if let matches, matches.isEmpty { return }
    var previews: [SequenceNumber: EditPreview] = [:]
    do { previews = try await self.previews(of: delivery, session) } catch let error
      as ProtocolError where error.code == .unknownDocument
    {
      // It was renamed meanwhile: the texts that were removed are left out.
    }
    var builder = EditRunBuilder(isSingle: edits, newestFirst: false)
    for entry in delivery.entries {
      let preview: EntryPreview
      switch entry {
      case .event(let event): preview = .event(event)
      case .edit(let edit):
        preview = .edit(previews[edit.sequence] ?? EditPreview(edit, textMax: EditRun.textMax))
      }
      for row in builder.append(preview) where matches?.contains(row) ?? true {
        try await print(row, &table, session)
      }
    }
    for row in builder.finish() where matches?.contains(row) ?? true {
      try await print(row, &table, session)
    }
    try session.output.write(table.takeLines())
  }

  /// The edits of a delivery after which a match of the pattern appeared or vanished; nil without a
  /// pattern. O(history): a match may be of text from long before.
  private func matchingEdits(
    of delivery: Delivery, _ session: Session
  ) async throws -> Set<SequenceNumber>? {
    guard pattern != nil else { return nil }
    let numbers = delivery.edits
    guard let first = numbers.first, let last = numbers.last else { return [] }
    let reference = HistoryReference(delivery.document)
    return try await matchingEdits(after: first - 1, through: last, at: .sequence(last)) {
      try await session.backend.ask($0(reference))
    }
  }

  /// The edits of a delivery with the texts that they removed.
  private func previews(
    of delivery: Delivery, _ session: Session
  ) async throws -> [SequenceNumber: EditPreview] {
    var previews: [SequenceNumber: EditPreview] = [:]
    let numbers = delivery.edits
    guard let first = numbers.first, let last = numbers.last else { return [:] }
    var after: SequenceNumber? = first - 1
    while let next = after {
      let page = try await session.backend.ask(
        LogPreviewRequest(
          HistoryReference(delivery.document), HistoryPart(after: next, through: last),
          textMax: EditRun.textMax))
      for case .edit(let edit) in page.entries { previews[edit.sequence] = edit }
      after = page.next
    }
    return previews
  }
}

extension Delivery {
  /// The numbers of its edits, in order.
  fileprivate var edits: [SequenceNumber] {
    entries.compactMap { if case .edit(let edit) = $0 { edit.sequence } else { nil } }
  }
}
