import EditLogFormat
import EditModel

/// A journal of the copy, written under a temporary name; its name follows.
struct StagedJournal {
  var number: UInt64
  var temporary: String { StoreLayout.name(of: number, .temporary) }
  var name: String { StoreLayout.name(of: number, .journal) }
}

extension BackupRun {
  /// True if files of a document that the store no longer has may be in the copy: then what is
  /// replaced is erased.
  private func erases(_ moment: BackupMoment) -> Bool {
    guard let former else { return report.previousTime != nil || report.resumed }
    return !former.numbers.isSubset(of: moment.numbers)
  }

  // MARK: Journals

  /// Writes the journals that the copy lacks, up to their last batches, under temporary names.
  /// Returns nil if one has changed since the moment: documents in it were forgotten.
  mutating func stageJournals(of moment: BackupMoment) throws(LogError) -> [StagedJournal]? {
    let journals = try target?.directoryIfPresent(StoreLayout.journals)
    var staged: [StagedJournal] = []
    // What an interrupted run or an earlier moment left.
    for name in try journals?.names() ?? [] where !isPlan && StoreLayout.isTemporary(name) {
      try begin()
      try journals?.erase(name)
    }
    for journal in moment.contents.journals {
      let next = StagedJournal(number: journal.number)
      let size = journal.scan.end
      if let copy = try journals?.openIfPresent(next.name),
        try FileCopy.isEqual(copy, to: journal.file, size: size)
      {
        continue
      }
      staged.append(next)
      guard !isPlan, let journals else { continue }
      try begin()
      let copy = try journals.open(next.temporary, .create)
      try FileCopy.copy(journal.file, size: size, to: copy)
      let scan = try copy.withSparseBytes(size: size, trustingHoles: false) {
        source throws(LogError) in JournalScan(source, store: store, following: nil)
      }
      guard scan.end == size, scan.batches.map(\.header) == journal.scan.batches.map(\.header)
      else { return nil }
    }
    // Only a run that comes to its end counts them.
    for journal in moment.contents.journals
    where staged.contains(where: { $0.number == journal.number }) {
      report.note(fileOf: journal.scan.end)
    }
    return staged
  }

  /// Removes the journals that the store no longer has, oldest first, and gives the new ones their
  /// names. Each step is durable before the next, so that no crash leaves a gap.
  private func replaceJournals(
    _ superfluous: [UInt64], _ staged: [StagedJournal], erasing erases: Bool
  ) throws(LogError) {
    guard let journals = try target?.directory(StoreLayout.journals) else { return }
    for number in superfluous {
      let old = StagedJournal(number: number)
      if erases {
        // No reader may see it change.
        try journals.rename(old.name, to: old.temporary, in: journals)
        try journals.sync()
        try journals.erase(old.temporary)
      } else {
        try journals.remove(old.name)
      }
      try journals.sync()
    }
    for next in staged {
      let old = erases ? try journals.openIfPresent(next.name, .write) : nil
      try journals.rename(next.temporary, to: next.name, in: journals)
      try journals.sync()
      try old?.erase()
    }
  }

  private func superfluousJournals(_ moment: BackupMoment) throws(LogError) -> [UInt64] {
    let kept = Set(moment.contents.journals.map(\.number))
    let names = try target?.directoryIfPresent(StoreLayout.journals)?.names() ?? []
    return StoreLayout.numbers(.journal, in: names).filter { !kept.contains($0) }
  }

  // MARK: Catalog and mark

  /// Replaces the catalog, the journals and the durable mark, erases what the store no longer has,
  /// and writes `format`.
  mutating func replaceFront(
    with moment: BackupMoment, _ staged: [StagedJournal]
  ) throws(LogError) {
    try replaceAttachmentList(by: moment)
    let catalog = moment.catalogToCopy
    let isNewCatalog = former?.catalog != catalog
    guard !isPlan, let target else {
      if isNewCatalog { report.note(fileOf: moment.place.size) }
      return try eraseRemoved(moment)
    }
    if moment.format.hasLongNames, try target.hasFile(StoreLayout.format) {
      var flushes = FlushWatch()
      try StoreFormat.addLongNames(in: target, &flushes)
    }
    var place = former?.place ?? moment.place
    if isNewCatalog {
      try begin()
      let generation = max(moment.place.generation, (former?.place.generation ?? 0) + 1)
      place = try replaceCatalog(
        by: catalog, generation: generation, in: target, erasing: erases(moment))
      report.note(fileOf: place.size)
    }
    let superfluous = try superfluousJournals(moment)
    if !staged.isEmpty || !superfluous.isEmpty {
      try begin()
      // Of the old and the new journals some may be there, and all of them are not needed.
      try loosenMark(to: moment.newestJournal, moment)
      try replaceJournals(superfluous, staged, erasing: erases(moment))
    }
    let mark = moment.markToCopy(number: markNumber + 1, place)
    if hasBegun || former.map({ !$0.mark.isSame(as: mark) }) ?? true {
      try begin()
      try write(mark)
    }
    try eraseRemoved(moment)
    if try !target.hasFile(StoreLayout.format) {
      try begin()
      try StoreFormat.write(moment.format, in: target)
    }
  }

  /// Replaces the catalog, durably, and overwrites the old one if `erasing`: it has names.
  private func replaceCatalog(
    by catalog: Catalog, generation: UInt64, in target: any Directory, erasing: Bool
  ) throws(LogError) -> CatalogPlace {
    let old = erasing ? try target.openIfPresent(StoreLayout.catalog, .write) : nil
    var flushes = FlushWatch()
    let new = try CatalogFile(catalog, generation: generation, in: target, store: store, &flushes)
    try old?.erase()
    return new.place
  }

  /// Replaces the list of attachments, whose files are copied by now, unless it is the same.
  private mutating func replaceAttachmentList(by moment: BackupMoment) throws(LogError) {
    let sizes = moment.attachments.filter { moment.numbers.contains($0.key) }
    var former: [UInt64: [AttachmentDigest: Int]]? = [:]
    if let target {
      former = try ifUsable { () throws(LogError) in
        try AttachmentList.sizes(in: target, store: store)
      }
    }
    guard former != sizes else { return }
    guard !isPlan, let target else { return report.note(fileOf: 0) }
    try begin()
    let old = erases(moment) ? try target.openIfPresent(StoreLayout.attachments, .write) : nil
    var list = Catalog()
    list.attachments = sizes
    var flushes = FlushWatch()
    let new = try CatalogFile(
      list, named: StoreLayout.attachments, generation: 1, in: target, store: store, &flushes)
    report.note(fileOf: new.place.size)
    try old?.erase()
  }

  /// Writes a durable mark that requires no journal, and by which segments may name journals up to
  /// `journal`. The first run writes none before it is complete.
  mutating func loosenMark(to journal: UInt64, _ moment: BackupMoment) throws(LogError) {
    guard let target, loosenedJournal.map({ journal > $0 }) ?? true,
      try target.hasFile(StoreLayout.confirmed)
    else { return }
    try begin()
    try write(
      DurableMark(
        number: markNumber + 1, batch: 0, journal: journal, documentLimit: moment.documentLimit,
        catalog: former?.place))
    loosenedJournal = journal
  }

  private mutating func write(_ mark: DurableMark) throws(LogError) {
    try target?.replace(StoreLayout.confirmed, with: DurableMarkCodec.bytes(of: mark, store))
    markNumber = mark.number
  }

  // MARK: Quarantine

  /// Copies the files in quarantine, and erases those that the store has removed or erased there.
  mutating func copyQuarantine() throws(LogError) {
    let from = try source.directoryIfPresent(StoreLayout.quarantine)
    let to = try target?.directoryIfPresent(StoreLayout.quarantine)
    let names = try (from?.names() ?? []).filter { !Quarantine.isBeingWritten($0) }
    for name in names {
      guard let file = try from?.openIfPresent(name) else { continue }
      let size = try file.size()
      let old = try to?.openIfPresent(name)
      if let old, try FileCopy.isEqual(old, to: file, size: size) { continue }
      report.note(fileOf: size)
      if !isPlan, let to { try copy(file, of: size, into: to, as: name, replaces: old != nil) }
    }
    for name in try to?.names() ?? [] where !isPlan && !names.contains(name) {
      try begin()
      try to?.erase(name)
      try to?.sync()
    }
  }

  private mutating func copy(
    _ file: any File, of size: Int, into directory: any Directory, as name: String, replaces: Bool
  ) throws(LogError) {
    try begin()
    let temporary = "\(name).\(StoreLayout.Kind.temporary.rawValue)"
    let old = replaces ? try directory.open(name, .write) : nil
    try directory.removeIfPresent(temporary)
    try FileCopy.copy(file, size: size, to: try directory.open(temporary, .create))
    try directory.rename(temporary, to: name, in: directory)
    try directory.sync()
    // In the store it was replaced because it had entries of a document that is forgotten.
    try old?.erase()
  }
}

extension DurableMark {
  /// True if it says the same as another mark, whatever their numbers.
  fileprivate func isSame(as other: DurableMark) -> Bool {
    var copy = self
    copy.number = other.number
    return copy == other
  }
}
