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
    for file in params.files {
      for rename in renames(with: file, in: surroundings) {
        _ = move(rename.oldURI, to: rename.newURI, in: surroundings, plan: &plan)
      }
    }
    return plan
  }

  /// The documents that are renamed with a file or folder, the lowest name first.
  func renames(
    with file: DidRenameFilesParams.Rename, in surroundings: LSPSurroundings
  ) -> [DidRenameFilesParams.Rename] {
    let old = file.oldURI
    let folder = old.name.hasSuffix("/") ? old.name : old.name + "/"
    var found = documents.keys.filter { $0.name.utf8.starts(with: folder.utf8) }
    if documents[old] != nil || surroundings.isKnown(old) { found.append(old) }
    return found.sorted { $0.precedes($1) }.compactMap { document in
      let rest = document.name.utf8.dropFirst(old.name.utf8.count)
      let target = DocumentID(file.newURI.name + String(decoding: rest, as: UTF8.self))
      // A name that has grown too long is none: the client will open the file under it, or not.
      guard let target, target != document else { return nil }
      return .init(oldURI: document, newURI: target)
    }
  }

  /// Gives the history of a document that is open or known another name, which is not known.
  mutating func rename(
    _ rename: DidRenameFilesParams.Rename, in surroundings: LSPSurroundings
  ) -> LSPPlan {
    var plan = LSPPlan()
    if documents[rename.oldURI] != nil || surroundings.isKnown(rename.oldURI) {
      _ = move(rename.oldURI, to: rename.newURI, in: surroundings, plan: &plan)
    }
    return plan
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
      let state = move(old, to: document, in: surroundings, plan: &plan)
      return state ?? surroundings.state(old) ?? TextState()
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
  /// `old` and brings `new` to its text. Returns the state that the plan leads to; nil if it is that
  /// of `old`.
  private mutating func move(
    _ old: DocumentID, to new: DocumentID, in surroundings: LSPSurroundings, plan: inout LSPPlan
  ) -> TextState? {
    guard surroundings.isKnown(new) else {
      if var opened = documents.removeValue(forKey: old) {
        opened.document = new
        documents[new] = opened
      }
      let renamed = PlannedEntry.event(.renamed(from: old))
      plan.add(PlannedDocument(new, renamedFrom: old, entries: [renamed]))
      return nil
    }
    plan.oddities.append(.renamedOntoKnown(old))
    guard let opened = documents[old] else { return surroundings.state(new) }
    let text = surroundings.state(old)?.text ?? ""
    close(old, in: surroundings, plan: &plan)
    // A client that has opened the new name before has told its text.
    guard documents[new] == nil else { return surroundings.state(new) }
    return open(new, version: opened.version, text: text, in: surroundings, plan: &plan)
  }
}
