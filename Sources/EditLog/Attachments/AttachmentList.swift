import EditLogFormat
import EditModel

/// The file `attachments`: which attachments were acknowledged, and must be in the folders of their
/// documents. It has the form of a catalog, and is a file of its own because older programs refuse a
/// catalog with records that they do not know. A store gets it with its first attachment.
enum AttachmentList {
  /// The list of the store in `root`, as far as it is valid; `.none` if there is no file.
  ///
  /// A writer that forgets a document replaces the file and overwrites the old one, which may be open
  /// here. So a list that seems damaged is read again.
  static func read(in root: any Directory, store: StoreID) throws(LogError) -> CatalogReading {
    for _ in 0..<3 {
      let reading = try readOnce(in: root, store: store)
      guard case .lost = reading else { return reading }
    }
    return try readOnce(in: root, store: store)
  }

  private static func readOnce(
    in root: any Directory, store: StoreID
  ) throws(LogError) -> CatalogReading {
    do throws(LogError) {
      let found = try root.read(StoreLayout.attachments) { file throws(LogError) in
        try CatalogReading.read(file, store, nil)
      }
      return switch found {
      case .absent: .none
      case .damaged(let error): .lost(what: "\(error)")
      case .present(let reading): reading
      }
    } catch {
      guard error.isUnreadable else { throw error }
      return .unreadable(error)
    }
  }

  /// The sizes of the attachments that must be stored, by the numbers of their documents.
  ///
  /// - Throws: `LogError.io`; `LogError.damaged` if the file is not valid.
  static func sizes(
    in root: any Directory, store: StoreID
  ) throws(LogError) -> [UInt64: [AttachmentDigest: Int]] {
    switch try read(in: root, store: store) {
    case .none: return [:]
    case .whole(let catalog, _, _): return catalog.attachments
    case .unreadable(let error): throw error
    case .lost(let what):
      throw .damaged(file: root.path(of: StoreLayout.attachments), offset: 0, what: what)
    }
  }
}

extension StoreWriter {
  /// Opens the list of attachments, if there is one. All documents are known by then.
  func openAttachmentList() throws(LogError) {
    switch try AttachmentList.read(in: root, store: id) {
    case .none: return
    case .unreadable(let error): throw error
    case .lost(let what):
      let loss = StoreLoss(
        kind: .record, key: "attachments \(clock.now().nanoseconds)", file: StoreLayout.attachments,
        what: "\(what); it is not known which attachments were missing then", time: clock.now())
      catalogFile?.note(.loss(loss))
      var flushes = FlushWatch()
      try watching(&flushes) { (flushes) throws(LogError) in try catalogFile?.flush(&flushes) }
      try makeAttachmentList(Catalog(), generation: 1)
    case .whole(let catalog, let place, let isTorn):
      if isTorn {
        try makeAttachmentList(catalog, generation: place.generation + 1)
      } else {
        attachmentList = try CatalogFile(
          catalog, named: StoreLayout.attachments, at: place, in: root, store: id)
      }
    }
    guard recovery.isSound else { return }
    // An older program forgets a document without knowing this file.
    for number in (attachmentList?.catalog.attachments ?? [:]).keys.sorted()
    where states[number] == nil { try eraseFromAttachmentList(number) }
  }

  private func makeAttachmentList(_ catalog: Catalog, generation: UInt64) throws(LogError) {
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in
      attachmentList = try CatalogFile(
        catalog, named: StoreLayout.attachments, generation: generation, in: root, store: id,
        &flushes)
    }
  }

  /// The digests of the attachments of a document that are in the list.
  func listedAttachments(of number: UInt64) -> Set<AttachmentDigest> {
    Set((attachmentList?.catalog.attachments[number] ?? [:]).keys)
  }

  /// Adds attachments of a document to the list, durably: they may be acknowledged then.
  func list(_ attachments: [StoredAttachment], of number: UInt64) throws(LogError) {
    let listed = attachmentList?.catalog.attachments[number] ?? [:]
    let new = attachments.filter { listed[$0.digest] != $0.size }
    guard !new.isEmpty || attachmentList?.isDirty == true else { return }
    if attachmentList == nil { try makeAttachmentList(Catalog(), generation: 1) }
    for attachment in new {
      attachmentList?.note(.attachment(number, attachment.digest, size: attachment.size))
    }
    try flushAttachmentList()
  }

  /// Makes the changes to the list durable.
  func flushAttachmentList() throws(LogError) {
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in try attachmentList?.flush(&flushes) }
  }

  /// Removes a forgotten document from the list.
  func eraseFromAttachmentList(_ number: UInt64) throws(LogError) {
    guard attachmentList?.catalog.attachments[number] != nil else { return }
    var flushes = FlushWatch()
    try watching(&flushes) { (flushes) throws(LogError) in
      try attachmentList?.erase(number, &flushes)
    }
  }

  /// Moves the damaged attachments of all documents into the quarantine, and takes them and the
  /// missing ones from the list; `flushAttachmentList` makes that durable. Reads all attachments.
  ///
  /// - Returns: What is lost.
  func quarantineAttachments() throws(LogError) -> [StoreLoss] {
    var losses: [StoreLoss] = []
    for state in states.values.sorted(by: { $0.number < $1.number }) {
      let listed = attachmentList?.catalog.attachments[state.number] ?? [:]
      let folder = try AttachmentFolder(state.number, in: documentsDirectory, store: id)
      let stored = try folder?.digests() ?? []
      for digest in stored + listed.inOrder.map(\.key).filter({ !stored.contains($0) }) {
        let size = listed[digest]
        let problem =
          try folder.map { folder throws(LogError) in
            try folder.problem(ofContent: digest, size: size)
          } ?? AttachmentFolder.missing(digest, of: state.number)
        guard let problem else { continue }
        try checkFree(state)
        if let folder, stored.contains(digest) { try quarantineFile(of: digest, in: folder, state) }
        if size != nil { attachmentList?.note(.attachment(state.number, digest, size: nil)) }
        losses.append(
          StoreLoss(
            key: "attachment \(state.number) \(digest)",
            file: AttachmentFolder.path(of: digest, of: state.number),
            what: problem.cause, time: clock.now()))
      }
    }
    return losses
  }

  private func quarantineFile(
    of digest: AttachmentDigest, in folder: AttachmentFolder, _ state: DocumentState
  ) throws(LogError) {
    let aside = try Quarantine.freeName(state.number, .attachment, in: quarantine)
    try folder.directory.rename(StoreLayout.name(of: digest), to: aside, in: quarantine)
    recovery.quarantined.append(aside)
    try poisoning { () throws(LogError) in
      try quarantine.sync()
      try folder.directory.sync()
    }
  }
}

extension LogError {
  /// What is wrong with a file, without its name.
  fileprivate var cause: String {
    switch self {
    case .damaged(_, _, let what), .refused(_, let what): what
    default: "\(self)"
    }
  }
}
