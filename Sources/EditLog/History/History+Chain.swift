import EditLogFormat
public import EditModel

extension History {
  /// True if `head` is the one in the acknowledgement of the edit `sequence`, so that the history
  /// up to this edit is unchanged. False if it was rewritten, cut, or replaced by an older copy.
  ///
  /// Hashes up to 4,096 entries and the events that follow the edit.
  public func confirms(_ head: ChainHead, at sequence: SequenceNumber) throws(LogError) -> Bool {
    guard sequence <= lastSequence else { return false }
    var confirmed = false
    try forEachHead(from: sequence) { place, candidate in
      if place == sequence, candidate == head { confirmed = true }
      return place <= sequence && !confirmed
    }
    return confirmed
  }

  /// The head of the chain after the edit `sequence`, before the events that follow it; nil if there
  /// is no such edit. Hashes up to 4,096 entries.
  package func head(at sequence: SequenceNumber) throws(LogError) -> ChainHead? {
    guard sequence <= lastSequence else { return nil }
    if sequence > 0, sequence % DocumentChain.linkSize == 0,
      let link = try link(sequence / DocumentChain.linkSize)
    {
      return link
    }
    if let head = try footerHead(at: sequence) { return head }
    var head: ChainHead?
    try forEachHead(from: sequence) { place, candidate in
      if place == sequence { head = candidate }
      return head == nil
    }
    return head
  }

  /// The head after the edit `sequence`, if a segment ends with it.
  private func footerHead(at sequence: SequenceNumber) throws(LogError) -> ChainHead? {
    guard let sealed, sealed.count > 0 else { return nil }
    let index = try sealed.segment(sealed.position(of: sequence)).index
    let isLast = index.lastSequence == sequence && index.events.last?.after != sequence
    return isLast ? index.head : nil
  }

  /// The chain through the whole history.
  func chain() throws(LogError) -> DocumentChain {
    var chain = try chainBefore(lastSequence)
    try forEachRecord(of: &chain) { _, _ in true }
    return chain
  }

  /// The chain through the sealed entries, for `StoreWriter.take`. Reads up to 4,096 edits.
  package func sealedChain() throws(LogError) -> SealedChain {
    let sealedHistory = History(
      document: document, number: number, store: store, sealed: sealed, unsealed: EntryList(),
      salts: salts, damage: [], head: nil)
    return SealedChain(chain: try sealedHistory.chain(), lastIndex: sealed?.lastIndex ?? 0)
  }

  /// Runs `body` with the head at the last link before `sequence`, then with the head after each
  /// record from there on, until `body` returns false.
  private func forEachHead(
    from sequence: SequenceNumber, _ body: (SequenceNumber, ChainHead) -> Bool
  ) throws(LogError) {
    var chain = try chainBefore(sequence)
    guard body(chain.linkCount * DocumentChain.linkSize, chain.head) else { return }
    try forEachRecord(of: &chain) { entry, chain in
      entry.place < sequence || body(entry.place, chain.head)
    }
  }

  /// The chain after the last known link before the edit `sequence`.
  func chainBefore(_ sequence: SequenceNumber) throws(LogError) -> DocumentChain {
    var number = (max(sequence, 1) - 1) / DocumentChain.linkSize
    while number > 0 {
      if let link = try link(number) { return DocumentChain(linkCount: number, link: link) }
      number -= 1
    }
    return DocumentChain(store: store, document: self.number)
  }

  /// Adds the records after `chain` to it. Runs `body` after each, until it returns false.
  private func forEachRecord(
    of chain: inout DocumentChain, _ body: (HistoryEntry, DocumentChain) -> Bool
  ) throws(LogError) {
    let start = chain.linkCount * DocumentChain.linkSize
    var state = chain
    defer { chain = state }
    var meta = ByteWriter()
    var content = ByteWriter()
    try forEachPiece(from: start, { $0 }) { piece throws(LogError) in
      for entry in try entries(of: piece)
      where entry.place > start || (entry.place == start && !entry.isEdit) {
        if !state.isOpen { try open(&state) }
        state.add(entry, meta: &meta, content: &content)
        guard body(entry, state) else { return false }
      }
      return true
    }
  }

  /// The link of this number, if a segment has it.
  func link(_ number: UInt64) throws(LogError) -> ChainHead? {
    guard let sealed, sealed.count > 0, sealed.lastSequence / DocumentChain.linkSize >= number
    else { return nil }
    // This edit closed the link, so the link is in the footer of the segment with this edit.
    let position = sealed.position(of: number * DocumentChain.linkSize)
    return try sealed.segment(position).index.chain.link(number)
  }

  /// Opens the next link of `chain`, which has a record in this history.
  func open(_ chain: inout DocumentChain) throws(LogError) {
    let number = chain.linkCount + 1
    if let sealed {
      let first = sealed.position(of: (number - 1) * DocumentChain.linkSize)
      for position in first..<sealed.count {
        let part = try sealed.segment(position).index.chain
        if let salt = part.salt(number) { return chain.open(salt: salt) }
      }
    }
    if let salt = salts[number] { return chain.open(salt: salt) }
    let first = (number - 1) * DocumentChain.linkSize + 1
    throw .damaged(
      file: file(of: first), offset: 0,
      what: "the salt of link \(number) of the hash chain, from edit \(first) on, is missing")
  }
}

/// The hash chain of a document through its sealed entries.
package struct SealedChain: Sendable {
  let chain: DocumentChain
  /// The number of the last sealed entry.
  let lastIndex: UInt64
}
