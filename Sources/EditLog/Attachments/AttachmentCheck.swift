import EditLogFormat
public import EditModel

/// An attachment that was acknowledged, and that the store cannot give back.
public struct AttachmentLoss: Hashable, Sendable {
  /// Its document.
  public var document: DocumentID
  /// The digest of its bytes.
  public var digest: AttachmentDigest
  /// What is wrong: `LogError.damaged` with its file.
  public var problem: LogError
}

/// The attachments that documents must have at one moment, to be looked for on any thread.
public struct AttachmentCheck: Sendable {
  /// The attachments of one document, with their sizes.
  struct Row: Sendable {
    var document: DocumentID
    var number: UInt64
    var sizes: [AttachmentDigest: Int]
  }

  let rows: [Row]
  let documents: DocumentsDirectory?
  let store: StoreID

  /// Those that are missing, or whose files have another size. Contents are not read: O(attachments).
  ///
  /// - Throws: `LogError.io` if a folder cannot be read.
  public func losses() throws(LogError) -> [AttachmentLoss] {
    var losses: [AttachmentLoss] = []
    for row in rows.sorted(by: { $0.number < $1.number }) {
      let folder = try AttachmentFolder(row.number, in: documents, store: store)
      for (digest, size) in row.sizes.inOrder {
        let problem =
          try folder.map { folder throws(LogError) in try folder.problem(of: digest, size: size) }
          ?? AttachmentFolder.missing(digest, of: row.number)
        guard let problem else { continue }
        losses.append(AttachmentLoss(document: row.document, digest: digest, problem: problem))
      }
    }
    return losses
  }
}

extension [AttachmentDigest: Int] {
  /// The attachments in the order of their digests.
  var inOrder: [(key: AttachmentDigest, value: Int)] {
    sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
  }
}

extension Store {
  /// The attachments that were acknowledged and cannot be given back, of one document or of all.
  ///
  /// - Throws: `LogError.io`; `LogError.damaged` if the file `attachments` is not valid.
  public func attachmentLosses(of document: DocumentID? = nil) throws(LogError) -> [AttachmentLoss]
  {
    try attachmentLosses(in: document.map { [$0] })
  }

  /// As `attachmentLosses(of:)`, of several documents: the list is read once.
  package func attachmentLosses(
    in documents: [DocumentID]?
  ) throws(LogError) -> [AttachmentLoss] {
    let losses = try attachmentCheck(of: documents).losses()
    let numbers = try documentNumbers()
    // A document may have been forgotten since.
    var forgotten: [DocumentID: Bool] = [:]
    for loss in losses where forgotten[loss.document] == nil {
      forgotten[loss.document] = try numbers[loss.document].map(wasForgotten) ?? true
    }
    return losses.filter { forgotten[$0.document] == false }
  }

  private func attachmentCheck(of documents: [DocumentID]?) throws(LogError) -> AttachmentCheck {
    let listed = try listedAttachments()
    var rows: [AttachmentCheck.Row] = []
    if !listed.isEmpty {
      let numbers = try documentNumbers()
      for name in documents.map({ Set($0) }) ?? Set(numbers.keys) {
        guard let number = numbers[name], let sizes = listed[number] else { continue }
        rows.append(.init(document: name, number: number, sizes: sizes))
      }
    }
    return AttachmentCheck(rows: rows, documents: documentsDirectory, store: id)
  }

  /// The sizes of the attachments that must be stored, by the numbers of their documents.
  func listedAttachments() throws(LogError) -> [UInt64: [AttachmentDigest: Int]] {
    try AttachmentList.sizes(in: root, store: id)
  }
}

extension StoreWriter {
  /// The attachments that must be stored now, of one document or of all. Without I/O.
  public func attachmentCheck(of document: DocumentID? = nil) -> AttachmentCheck {
    var listed = attachmentList?.catalog.attachments ?? [:]
    if let document {
      let number = numbers[document] ?? 0
      listed = listed[number].map { [number: $0] } ?? [:]
    }
    let rows = listed.compactMap { number, sizes -> AttachmentCheck.Row? in
      guard let state = states[number] else { return nil }
      return AttachmentCheck.Row(document: state.id, number: number, sizes: sizes)
    }
    return AttachmentCheck(rows: rows, documents: documentsDirectory, store: id)
  }
}
