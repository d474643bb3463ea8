public import EditModel

extension StoreWriter {
  /// Stores the state after an edit, opaque here, bound to the history that led to it. One that
  /// is there already is replaced.
  ///
  /// Cheapest to check when it is read are checkpoints after edits whose number is a multiple of
  /// 4,096. They are not flushed with the journal's care: after a crash one may be gone.
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
    try checkFree(state)
    let encoded = CheckpointFile.encode(
      bytes, store: id, document: state.number, sequence: sequence, head: head,
      level: options.level)
    try Self.noSpace(root.path) { () throws(LogError) in
      var flushes = FlushWatch()
      let directory = try folder(of: state).open(&flushes)
      state.storedID = state.id
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
}
