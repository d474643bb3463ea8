public import EditModel
public import EditProtocol
import TextState

/// What a document is that a client uses and has not open.
public enum UnopenedDocument: Hashable, Sendable {
  /// An open document under a new name, of which the client has not told.
  case renamed(from: DocumentID)
  /// A document that has this text.
  case opened(UTF16Text)
  /// One of which nothing tells the text.
  case unknown
}

extension LSPSession {
  /// `didRenameFiles`: the documents of these names, and the open ones in folders of these names,
  /// keep their history under the new name.
  public mutating func didRenameFiles(
    _ params: DidRenameFilesParams, in surroundings: LSPSurroundings
  ) -> LSPPlan {
    var plan = LSPPlan()
    for rename in params.files {
      for document in documentsRenamed(with: rename.oldURI, in: surroundings) {
        let rest = document.name.utf8.dropFirst(rename.oldURI.name.utf8.count)
        let target = DocumentID(rename.newURI.name + String(decoding: rest, as: UTF8.self))
        // A name that has grown too long is none: the client will open the file under it, or not.
        guard let target, target != document else { continue }
        _ = move(document, to: target, in: surroundings, plan: &plan)
      }
    }
    return plan
  }

  private func documentsRenamed(
    with old: DocumentID, in surroundings: LSPSurroundings
  ) -> [DocumentID] {
    let folder = old.name.hasSuffix("/") ? old.name : old.name + "/"
    var found = documents.keys.filter { $0.name.utf8.starts(with: folder.utf8) }
    if documents[old] != nil || surroundings.state(old) != nil { found.append(old) }
    return found.sorted { $0.precedes($1) }
  }

  /// What a document is that the client saves and has not open: a renamed one if exactly one of its
  /// open documents has this text; else one that is opened. O(n) in the file and the open documents.
  func identify(
    _ document: DocumentID, savedAs text: UTF16Text?, in surroundings: LSPSurroundings
  ) -> UnopenedDocument {
    let file = surroundings.readDisk(document).flatMap { String(validating: $0, as: UTF8.self) }
    let evidence = [text, file.map { UTF16Text($0) }].compactMap { $0 }
    let texts = Set(evidence.map(ComparableText.init))
    if let old = onlyDocument(withTextIn: texts, in: surroundings) { return .renamed(from: old) }
    // The file is what was saved; the client's text may be part of it.
    return evidence.last.map { .opened($0) } ?? .unknown
  }

  /// What a document is that the client changes and has not open. O(n) in the file and the open
  /// documents.
  func identify(
    _ document: DocumentID, changedBy changes: [DidChangeParams.Change],
    in surroundings: LSPSurroundings
  ) -> UnopenedDocument {
    let file = surroundings.readDisk(document).flatMap { String(validating: $0, as: UTF8.self) }
    let text = file.map { UTF16Text($0) }
    let texts: Set<ComparableText> = text.map { [ComparableText($0)] } ?? []
    // Without a file nothing but being the only one tells which document it is.
    let only = text == nil && documents.count == 1 && surroundings.state(document) == nil
    let old = only ? documents.keys.first : onlyDocument(withTextIn: texts, in: surroundings)
    if let old { return .renamed(from: old) }
    let whole = changes.first.flatMap { $0.range == nil ? $0.text : nil }
    let base = whole ?? text ?? surroundings.state(document)?.text
    return base.map { .opened($0) } ?? .unknown
  }

  /// Begins to use a document that is not open. Returns the state to go on from.
  mutating func begin(
    _ document: DocumentID, as found: UnopenedDocument, in surroundings: LSPSurroundings,
    plan: inout LSPPlan
  ) -> TextState? {
    switch found {
    case .renamed(let old) where documents[old] != nil:
      plan.oddities.append(.renamedUntold(from: old))
      return move(old, to: document, in: surroundings, plan: &plan)
    case .opened(let text):
      plan.oddities.append(.openedByUse)
      return open(document, version: nil, text: text, in: surroundings, plan: &plan)
    case .renamed, .unknown:
      plan.oddities.append(.notOpen)
      return nil
    }
  }

  private func onlyDocument(
    withTextIn texts: Set<ComparableText>, in surroundings: LSPSurroundings
  ) -> DocumentID? {
    let found = documents.keys.filter { document in
      surroundings.state(document).map { texts.contains(ComparableText($0.text)) } ?? false
    }
    return found.count == 1 ? found.first : nil
  }

  /// Gives the history of `old` to the name `new`; where that has a history of its own, closes
  /// `old` and brings `new` to its text. Returns the state that the plan leads to.
  private mutating func move(
    _ old: DocumentID, to new: DocumentID, in surroundings: LSPSurroundings, plan: inout LSPPlan
  ) -> TextState {
    let state = surroundings.state(old) ?? TextState()
    guard let target = surroundings.state(new) else {
      if var opened = documents.removeValue(forKey: old) {
        opened.document = new
        documents[new] = opened
      }
      let renamed = PlannedEntry.event(.renamed(from: old))
      plan.add(PlannedDocument(new, renamedFrom: old, entries: [renamed]))
      return state
    }
    plan.oddities.append(.renamedOntoKnown(old))
    guard let opened = documents[old] else { return target }
    close(old, in: surroundings, plan: &plan)
    // A client that has opened the new name before has told its text.
    guard documents[new] == nil else { return target }
    return open(
      new, version: opened.version, text: state.text, in: surroundings, plan: &plan)
  }
}
