import EditLogFormat
import EditModel

extension StoreWriter {
  /// Adopts the catalog, and records losses before anything is written that would hide them.
  func openCatalog(_ store: OpenedStore) throws(LogError) {
    let mark = store.mark.mark
    documentLimit = mark?.documentLimit ?? 0
    if case .whole(let catalog, let place, let isTorn) = store.catalog {
      if isTorn {
        // What was being written to the catalog is in the journals too.
        try makeCatalog(catalog, generation: place.generation + 1)
      } else {
        catalogFile = try CatalogFile(catalog, at: place, in: root, store: id)
      }
      nextNumber = max(nextNumber, catalog.newestDocument + 1)
    }
    // Numbers that were given and are lost are not given again.
    if !store.contents.damages.isEmpty || catalogFile == nil {
      nextNumber = max(nextNumber, documentLimit + 1)
      if catalogFile?.catalog.documents[documentLimit] == nil, documentLimit > 0 {
        catalogFile?.note(.removed(documentLimit))
      }
    }
  }

  /// Makes a catalog from the files of a store that has none, and records what is lost.
  /// Files with the numbers `strays` belong to no document that there ever was.
  func completeCatalog(_ store: OpenedStore, _ strays: [UInt64]) throws(LogError) {
    if catalogFile == nil {
      var catalog = Catalog()
      for state in states.values.sorted(by: { $0.number < $1.number }) where state.failure == nil {
        guard let sealed = try readable(state), let document = try sealed.listing(state.id) else {
          continue
        }
        catalog.apply(.document(state.number, document))
      }
      catalog.newestDocument = max(catalog.newestDocument, nextNumber - 1)
      for loss in try losses(store, catalog, strays) { catalog.apply(.loss(loss)) }
      try makeCatalog(catalog, generation: (store.mark.mark?.catalog?.generation ?? 0) + 1)
    } else {
      for loss in try losses(store, catalogFile?.catalog ?? Catalog(), strays) {
        catalogFile?.note(.loss(loss))
      }
    }
    try upgradeFormat()
    // Before damaged journals are moved to quarantine, and before a mark is written that does not
    // name them.
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in try catalogFile?.flush(&flushes) }
  }

  /// The segments of a document; nil if it has none, or none that can be read, which is recorded.
  private func readable(_ state: DocumentState) throws(LogError) -> SealedPart? {
    do throws(LogError) { return try sealedPart(of: state) } catch {
      if case .io = error { throw error }
      state.failure = error
      return nil
    }
  }

  private func makeCatalog(_ catalog: Catalog, generation: UInt64) throws(LogError) {
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in
      catalogFile = try CatalogFile(
        catalog, generation: generation, in: root, store: id, &flushes)
    }
  }

  /// Records in `format` that there is a catalog: from then on, older programs refuse the store.
  private func upgradeFormat() throws(LogError) {
    guard try !StoreFormat.read(in: root).hasCatalog else { return }
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in
      try StoreFormat.addCatalog(in: root, &flushes)
    }
  }

  /// Records in `format` that the store has a name of this many bytes, if versions before this one refuse
  /// it: they must refuse the store, and not find damage in it.
  func allowName(size: Int) throws(LogError) {
    guard size > FileHeader.shortNameSizeMax, !hasLongNames else { return }
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in
      try StoreFormat.addLongNames(in: root, &flushes)
    }
    hasLongNames = true
  }

  /// Runs `body`, which flushes. A failed flush ends the writer.
  func watching(
    _ flushes: inout FlushWatch, _ body: (inout FlushWatch) throws(LogError) -> Void
  ) throws(LogError) {
    do { try body(&flushes) } catch {
      guard flushes.hasFailed else { throw error }
      return try poisoning { () throws(LogError) in throw error }
    }
  }

  /// Records what is sealed of a document, if the catalog differs.
  func noteSealed(_ state: DocumentState, _ sealed: CatalogDocument) {
    guard catalogFile?.catalog.documents[state.number] != sealed else { return }
    catalogFile?.note(.document(state.number, sealed))
  }

  /// As `noteSealed(_:_:)`. Reads the segments that may not be as the catalog says.
  func noteSealed(_ state: DocumentState, in sealed: SealedPart?) throws(LogError) {
    // A name is only in the journal until its document is sealed.
    let name = sealed?.last?.index.name ?? state.id
    let known = catalogFile?.catalog.documents[state.number]
    if let document = try sealed?.listing(name, after: known) { noteSealed(state, document) }
  }

  /// Removes a forgotten document and its names from the catalog.
  func eraseFromCatalog(_ number: UInt64) throws(LogError) {
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in
      try catalogFile?.erase(number, &flushes)
    }
    try writeDurableMark()
  }

  // MARK: Losses

  /// The losses found by opening the store that cannot be assigned to a document.
  private func losses(
    _ store: OpenedStore, _ catalog: Catalog, _ strays: [UInt64]
  ) throws(LogError) -> [StoreLoss] {
    let time = clock.now()
    var losses: [StoreLoss] = []
    func note(
      _ key: String, _ file: String, _ what: String, _ kind: StoreLoss.Kind = .entries
    ) {
      losses.append(StoreLoss(kind: kind, key: key, file: file, what: what, time: time))
    }
    if let what = store.catalog.loss {
      note(
        "catalog \(time.nanoseconds)", StoreLayout.catalog,
        """
        \(what); it was rebuilt from the other files; what was \
        missing of these then is not known
        """, .record)
    }
    if store.mark.isLost(beside: store.catalog) {
      note(
        "mark \(time.nanoseconds)", StoreLayout.confirmed,
        """
        it was missing or damaged, and was rebuilt; what the journals \
        had lost at their end then is not known
        """, .record)
    }
    recovery.madeAnew = losses.map { RecoveryStep(file: $0.file, what: $0.what) }
    if let backup = try BackupRecord(in: root), backup.isUnfinished {
      note(
        "backup \(backup.time?.nanoseconds ?? 0)", StoreLayout.backup, BackupRecord.unfinished,
        .record)
    }
    // Without the mark, the newest journal that must exist is one that a segment names.
    let named = catalog.documents.values.map(\.journal).max() ?? 0
    if store.mark.mark == nil,
      named > store.contents.journals.map(\.number).max() ?? 0
    {
      note(
        "journal \(named)", StoreLayout.path(ofJournal: named),
        "the journal is missing, with the entries that were only in it")
    }
    for number in strays {
      // Their numbers count as given from now on, so that only this tells of them.
      note("stray \(number)", DocumentsDirectory.path(of: number), DocumentsDirectory.strayWhat)
    }
    for damage in store.contents.damages where damage.isLoss {
      note(damage.key, damage.file, damage.place)
    }
    if store.catalog.catalog == nil {
      // Quarantined by a version that kept no list of losses.
      for name in try Quarantine.journals(in: root) {
        let file = "\(StoreLayout.quarantine)/\(name)"
        note(file, file, Quarantine.what)
      }
    }
    return losses.filter { loss in
      catalogFile?.catalog.loss(loss.key) == nil
    }
  }
}
