package import EditModel

/// The content of a segment's footer: everything about a part of a history except its entries.
package struct SegmentIndex: Hashable, Sendable {
  /// A block, and where its header starts, in bytes of the file.
  package struct Block: Hashable, Sendable {
    package var offset: Int
    package var header: BlockHeader

    package init(offset: Int, header: BlockHeader) {
      (self.offset, self.header) = (offset, header)
    }

    /// The bytes of the block, header and payload.
    package var range: Range<Int> { offset..<offset + BlockHeader.size + header.payloadSize }
  }

  /// Bytes of the file up to the end of the trailer.
  package var dataSize = 0
  /// True if the footer is lost and this was rebuilt from the blocks. The salts and links of the
  /// chain and the history's known damage are missing then, and nothing may be written after it.
  package var isRebuilt = false
  /// The document's name when the segment was written, in case the file with the name is damaged.
  package var name: DocumentID?
  /// The blocks, in the order of the history.
  package var blocks: [Block] = []
  /// The number of compacted blocks, which are the first ones.
  package var compactedCount = 0
  /// The number of the last entry of the history up to here, edits and events counted together. A
  /// reader takes later entries from the journal.
  package var lastIndex: UInt64 = 0
  /// The sequence number of the last edit up to here.
  package var lastSequence: SequenceNumber = 0
  /// The journal written to when sealing was prepared. The document's entries in older journals are
  /// sealed, or known to be lost.
  package var journal: UInt64 = 0
  /// The head of the hash chain up to here.
  package var head: ChainHead?
  /// The last request of each session that sent something in this segment.
  package var sessions: [SessionID: SessionMark] = [:]
  /// The segment's events, in order. They are also in its blocks.
  package var events: [HistoryEvent] = []
  /// The salts and links of the chain that begin in this segment.
  package var chain = ChainPart()
  /// True if the footer has a section of redactions, which this version never writes.
  package var hasRedactions = false
  /// The known damage of the history.
  package var damages: [HistoryDamage] = []

  package init(dataSize: Int = 0) { self.dataSize = dataSize }

  /// Where the footer starts, in bytes of the file.
  package var blocksEnd: Int { blocks.last?.range.upperBound ?? FileHeader.size }
}

/// Salts and links of consecutive numbers.
package struct ChainPart: Hashable, Sendable {
  /// The number of the first salt and of the first link, if there is one.
  package var firstSalt: UInt64 = 0
  package var salts: [[UInt8]] = []
  package var firstLink: UInt64 = 0
  package var links: [ChainHead] = []

  package init() {}

  package mutating func append(salt: [UInt8], number: UInt64) {
    if salts.isEmpty { firstSalt = number }
    precondition(number == firstSalt + UInt64(salts.count))
    salts.append(salt)
  }

  package mutating func append(link: ChainHead, number: UInt64) {
    if links.isEmpty { firstLink = number }
    precondition(number == firstLink + UInt64(links.count))
    links.append(link)
  }

  /// True if `other` continues where this one ends.
  package func continues(in other: ChainPart) -> Bool {
    let salt = firstSalt.addingReportingOverflow(UInt64(salts.count))
    let link = firstLink.addingReportingOverflow(UInt64(links.count))
    return (salts.isEmpty || other.salts.isEmpty || salt.partialValue == other.firstSalt)
      && (links.isEmpty || other.links.isEmpty || link.partialValue == other.firstLink)
  }

  /// Adds a part that continues where this one ends.
  package mutating func append(_ other: ChainPart) {
    for (offset, salt) in other.salts.enumerated() {
      append(salt: salt, number: other.firstSalt + UInt64(offset))
    }
    for (offset, link) in other.links.enumerated() {
      append(link: link, number: other.firstLink + UInt64(offset))
    }
  }

  /// The part up to link `number` and its salt.
  package func prefix(through number: UInt64) -> ChainPart {
    func count(from first: UInt64, of all: Int) -> Int {
      number < first ? 0 : Int(min(number - first + 1, UInt64(all)))
    }
    var front = self
    front.salts.removeLast(salts.count - count(from: firstSalt, of: salts.count))
    front.links.removeLast(links.count - count(from: firstLink, of: links.count))
    return front
  }

  /// Removes `front`, which is the beginning of this part.
  package mutating func removeFirst(_ front: ChainPart) {
    salts.removeFirst(front.salts.count)
    links.removeFirst(front.links.count)
    firstSalt += UInt64(front.salts.count)
    firstLink += UInt64(front.links.count)
  }

  /// The salt of link `number`, nil if it is not in this part.
  package func salt(_ number: UInt64) -> [UInt8]? {
    guard number >= firstSalt, number - firstSalt < salts.count else { return nil }
    return salts[Int(number - firstSalt)]
  }

  /// Link `number`, nil if it is not in this part.
  package func link(_ number: UInt64) -> ChainHead? {
    guard number >= firstLink, number - firstLink < links.count else { return nil }
    return links[Int(number - firstLink)]
  }
}

extension [SessionID: SessionMark] {
  /// Adds an entry, which is later than all before.
  package mutating func note(_ entry: HistoryEntry) {
    guard let source = entry.source else { return }
    self[source.session] = SessionMark(counter: source.counter, sequence: entry.place)
  }
}
