public import EditModel

extension StoreWriter {
  /// Stores the state after an edit, opaque here, bound to the history that led to it. One that
  /// is there already is replaced.
  ///
  /// Cheapest to check when it is read are checkpoints after edits whose number is a multiple of
  /// 1,024. They are not flushed with the journal's care: after a crash one may be gone. One that
  /// shrinks more than a reader takes from a small file is not stored: see the article FileFormat.
  ///
  /// - Throws: `LogError.refused` where the document has no such edit; `LogError.noSpace`,
  ///   `LogError.damaged`, `LogError.io`, `LogError.poisoned`.
  public func writeCheckpoint(
    _ document: DocumentID, at sequence: SequenceNumber, _ bytes: [UInt8]
  ) throws(LogError) {
    try checkPoison()
    guard let state = try state(of: document), let history = try history(of: document),
      let head = try history.head(at: sequence)
    else { throw .refused(path: document.name, what: "not at edit \(sequence)") }
    let encoded = CheckpointFile.encode(
      bytes, store: id, document: state.number, sequence: sequence, head: head,
      level: options.level)
    guard BlockCodec.isPayable(bytes.count, by: encoded.count) else { return }
    try Self.noSpace(root.path) { () throws(LogError) in
      let directory = try preparedDirectory(of: state)
      try directory.replace(StoreLayout.name(of: sequence, .checkpoint), with: encoded)
    }
  }

  /// Removes a checkpoint; one that is not there is fine.
  public func removeCheckpoint(
    _ document: DocumentID, at sequence: SequenceNumber
  ) throws(LogError) {
    try checkPoison()
    guard let state = try state(of: document),
      let directory = try documentsDirectory.directoryIfPresent(
        StoreLayout.name(of: state.number))
    else { return }
    try directory.removeIfPresent(StoreLayout.name(of: sequence, .checkpoint))
  }

  /// The edits a document has checkpoints after, ascending.
  public func checkpoints(of document: DocumentID) throws(LogError) -> [SequenceNumber] {
    guard let state = try state(of: document),
      let directory = try documentsDirectory.directoryIfPresent(
        StoreLayout.name(of: state.number))
    else { return [] }
    return StoreLayout.numbers(.checkpoint, in: try directory.names())
  }

  /// Removes checkpoints that are not of this history: behind its end, or of another document,
  /// store or version.
  func removeBadCheckpoints(
    of state: DocumentState, in directory: any Directory
  ) throws(LogError) {
    for sequence in StoreLayout.numbers(.checkpoint, in: try directory.names()) {
      let name = StoreLayout.name(of: sequence, .checkpoint)
      let front = try? directory.open(name, .read).read(FileHeader.size, at: 0)
      let header = front.flatMap { $0.withUnsafeBytes { FileHeader(.checkpoint, $0) } }
      let isGood =
        sequence <= state.lastSequence && header?.store == id && header?.number == state.number
        && header?.second == sequence && header?.major == FileHeader.major
      if !isGood { try directory.remove(name) }
    }
  }
}
