import EditLogFormat
public import EditModel
import Synchronization

/// The history of one document up to a fixed horizon: whatever is appended or sealed while it is
/// read, it gives the same entries.
///
/// It reads its files as it is asked, and holds a few of them open. Any thread may use it.
public final class History: Sendable {
  /// The document's name.
  public let document: DocumentID
  /// The document's number in the store.
  public let number: UInt64
  /// The sequence number of the last edit; 0 if there is none.
  public let lastSequence: SequenceNumber
  /// The known damage. Empty for a complete history.
  public let damage: [HistoryDamage]

  let store: StoreID
  let sealed: SealedPart?
  let unsealed: EntryList
  /// The salts of the chain's links that began in the unsealed part.
  let salts: [UInt64: [UInt8]]
  /// Which checkpoints may be used.
  let trust: CheckpointTrust
  private let knownHead: ChainHead?
  private let cache = Mutex<CachedBlock?>(nil)
  private let blocks = BlockCache()
  /// What was read of the checkpoints.
  private let (stateCache, projectionCache) = (CheckpointCache(), CheckpointCache())

  /// The block that was decoded last: neighbours are often asked for together.
  private struct CachedBlock {
    var segment: ObjectIdentifier
    var offset: Int
    var entries: [HistoryEntry]
  }

  init(
    document: DocumentID, number: UInt64, store: StoreID, sealed: SealedPart?,
    unsealed: EntryList, salts: [UInt64: [UInt8]], damage: [HistoryDamage], head: ChainHead?,
    accepted: Set<String> = [], trust: CheckpointTrust = .checksums
  ) {
    self.trust = trust
    (self.document, self.number, self.store) = (document, number, store)
    (self.sealed, self.unsealed, self.salts) = (sealed, unsealed, salts)
    lastSequence = unsealed.chunks.last?.last ?? sealed?.lastSequence ?? 0
    self.damage = ((sealed?.last?.index.damages ?? []) + damage).map { damage in
      var damage = damage
      damage.isAccepted = accepted.contains(damage.key(of: number))
      return damage
    }
    knownHead = head
  }

  /// What was read of the checkpoints of a series.
  func checkpointCache(_ series: CheckpointSeries) -> CheckpointCache {
    switch series {
    case .states: stateCache
    case .projections: projectionCache
    }
  }

  /// The document's folder, for messages; the journal's if it has none.
  package var path: String { sealed?.directory.path ?? StoreLayout.journals }

  /// The head of the document's hash chain, which covers every entry up to the horizon.
  ///
  /// O(1) if everything is sealed or the writer gave this history; else up to 4,096 entries
  /// and those of the journal are hashed.
  public var head: ChainHead {
    get throws(LogError) {
      if let knownHead { return knownHead }
      if unsealed.isEmpty, let head = sealed?.last?.index.head { return head }
      return try chain().head
    }
  }

  /// The distance, in edits, between the versions at which a checkpoint is cheap to check.
  public static var linkSize: SequenceNumber { DocumentChain.linkSize }
  /// The last edit that is in a segment. A checkpoint there is cheap to check too.
  public var sealedSequence: SequenceNumber { sealed?.lastSequence ?? 0 }

  // MARK: Pieces

  /// A run of entries that is decoded at once.
  enum Piece {
    case block(Segment, SegmentIndex.Block)
    case chunk(Int)
  }

  /// Runs `body` on the pieces that may hold entries from the edit `first` on, in order, until
  /// it returns false.
  func forEachPiece<Failure: Error>(
    from first: SequenceNumber, _ wrap: (LogError) -> Failure,
    _ body: (Piece) throws(Failure) -> Bool
  ) throws(Failure) {
    if let sealed {
      do { try sealed.checkBegins(at: first) } catch { throw wrap(error) }
      for position in sealed.position(of: first)..<sealed.count {
        let segment: Segment
        do { segment = try sealed.segment(position) } catch { throw wrap(error) }
        let blocks = segment.index.blocks
        for block in blocks[blocks.partitionPoint({ $0.header.lastSequence < first })...]
        where try !body(.block(segment, block)) { return }
      }
    }
    let chunks = unsealed.chunks
    for chunk in chunks.partitionPoint({ $0.last < first })..<chunks.count
    where try !body(.chunk(chunk)) { return }
  }

  /// The columns of a block, which is not a long one.
  func columns(of block: SegmentIndex.Block, _ segment: Segment) throws(LogError) -> DecodedBlock {
    if let columns = blocks.block(segment, block.offset) { return columns }
    let columns = try segment.columns(of: block)
    blocks.keep(columns, segment, block.offset)
    return columns
  }

  /// The entries of a piece.
  func entries(of piece: Piece) throws(LogError) -> [HistoryEntry] {
    switch piece {
    case .chunk(let chunk):
      do { return try unsealed.entries(of: chunk) } catch {
        let (first, last) = (unsealed.chunks[chunk].before + 1, unsealed.chunks[chunk].last)
        throw .damaged(
          file: StoreLayout.path(ofJournal: unsealed.chunks[chunk].journal), offset: 0,
          what: "edits \(first) to \(last) cannot be read: \(error.problem.rawValue)")
      }
    case .block(let segment, let block):
      let key = ObjectIdentifier(segment)
      let known = cache.withLock {
        $0?.segment == key && $0?.offset == block.offset ? $0?.entries : nil
      }
      if let known { return known }
      let entries = try segment.entries(of: block)
      cache.withLock {
        $0 = CachedBlock(segment: key, offset: block.offset, entries: entries)
      }
      return entries
    }
  }
}

extension History.Piece {
  /// True if a piece that starts after the edit `last` can still hold events that follow it.
  func mayHold(through last: SequenceNumber, in history: History) -> Bool {
    switch self {
    case .block(_, let block):
      let first = block.header.firstSequence
      return first <= last || (first == last + 1 && block.header.eventCount > 0)
    case .chunk(let chunk): return history.unsealed.chunks[chunk].before <= last
    }
  }
}
