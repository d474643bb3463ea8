package import EditModel
package import EditProtocol
import TextState

extension LSPSession {
  /// `didRenameFiles`: the documents with these names, and those in folders with these names, keep their
  /// histories under the new names, open or not.
  package mutating func didRenameFiles(
    _ params: DidRenameFilesParams, in environment: LSPEnvironment
  ) -> LSPPlan {
    let renames = renames(by: params, in: environment)
    var plan = rename(renames.moves)
    for rename in renames.ontoKnown {
      plan.anomalies.append(.renamedOntoKnown(rename.oldURI))
      _ = moveOntoKnown(rename.oldURI, to: rename.newURI, in: environment, plan: &plan)
    }
    return plan
  }

  /// The documents that are renamed with these files and folders.
  ///
  /// O(n log n + (files + renames) · log n) comparisons for n documents that are open or in the folders;
  /// each rename of one of them also moves O(n) names in memory.
  package func renames(
    by params: DidRenameFilesParams, in environment: LSPEnvironment
  ) -> LSPRenames {
    var found = LSPRenames()
    // A folder has no history of its own.
    let folders = params.files.map(\.oldURI).filter {
      documents[$0] == nil && !environment.isKnown($0)
    }
    let closed = folders.isEmpty ? [] : environment.documents(FolderNames(folders))
    var names = SortedNames(Set(documents.keys).union(closed))
    // The first name of each renamed document by its current name, and the names that are free now.
    var oldNames: [DocumentID: DocumentID] = [:]
    var freed: Set<DocumentID> = []
    var count = 0
    func isKnown(_ id: DocumentID) -> Bool {
      oldNames[id] != nil || !freed.contains(id) && environment.isKnown(id)
    }
    for file in params.files {
      let old = file.oldURI
      var documents = names.names(inFolder: old)
      if names.contains(old) || isKnown(old) { documents.append(old) }
      count += documents.count
      guard count <= LSPRenames.countMax else {
        found.refusal = "rename documents more than \(LSPRenames.countMax) times"
        break
      }
      for document in documents.sorted(by: { $0.precedes($1) }) {
        let rest = document.name.utf8.dropFirst(old.name.utf8.count)
        let target = DocumentID(file.newURI.name + String(decoding: rest, as: UTF8.self))
        // A document whose new name would be too long keeps its name.
        guard let target, target != document else { continue }
        if isKnown(target) {
          found.ontoKnown.append(.init(oldURI: document, newURI: target))
        } else {
          oldNames[target] = oldNames.removeValue(forKey: document) ?? document
          freed.insert(document)
        }
        if names.remove(document) { names.insert(target) }
      }
    }
    found.moves = oldNames.compactMap { $0 == $1 ? nil : .init(oldURI: $1, newURI: $0) }
      .sorted { $0.oldURI.precedes($1.oldURI) }
    if found.exchangeCount > LSPRenames.exchangeCountMax {
      found.refusal = "exchange the names of more than \(LSPRenames.exchangeCountMax) documents"
    }
    return found
  }

  /// Renames documents, all at once.
  package mutating func rename(_ moves: [DidRenameFilesParams.Rename]) -> LSPPlan {
    var plan = LSPPlan()
    let opened = moves.map { documents.removeValue(forKey: $0.oldURI) }
    for (move, opened) in zip(moves, opened) {
      if var opened {
        opened.document = move.newURI
        documents[move.newURI] = opened
      }
      let renamed = PlannedEntry.event(.renamed(from: move.oldURI))
      plan.add(PlannedDocument(move.newURI, renamedFrom: move.oldURI, entries: [renamed]))
    }
    return plan
  }

  /// Identifies a document that the client saves but has not opened. It is a renamed or copied
  /// document if exactly one open document has this text. O(n) in the file and the open documents.
  func identify(
    _ document: DocumentID, savedAs text: UTF16Text?, in environment: LSPEnvironment
  ) -> UnopenedDocument {
    let evidence = [text, environment.textOfFile(document)].compactMap { $0 }
    let texts = Set(evidence.map(ComparableText.init))
    if let old = onlyDocument(withTextIn: texts, in: environment) {
      return moved(from: old, in: environment)
    }
    return evidence.isEmpty ? .unknown : .opened
  }

  /// Identifies a document that the client changes but has not opened. O(n) in the file and the open
  /// documents.
  func identify(
    _ document: DocumentID, changedBy changes: [DidChangeParams.Change],
    in environment: LSPEnvironment
  ) -> UnopenedDocument {
    let text = environment.textOfFile(document)
    let whole = changes.first.flatMap { $0.range == nil ? $0.text : nil }
    // A client that sends whole texts may use the new name before it writes the file.
    let texts: Set<ComparableText> = (text ?? whole).map { [ComparableText($0)] } ?? []
    // Without a file and a history, it is the only open document, if there is just one.
    let only = text == nil && documents.count == 1 && !environment.isKnown(document)
    let old = only ? documents.keys.first : onlyDocument(withTextIn: texts, in: environment)
    if let old { return moved(from: old, in: environment) }
    return whole == nil && text == nil && !environment.isKnown(document) ? .unknown : .opened
  }

  /// The identity of a document that `old` is known as now: if the file of `old` is still there, the
  /// editor has saved it under another name, and the old document stays.
  private func moved(from old: DocumentID, in environment: LSPEnvironment) -> UnopenedDocument {
    environment.hasFile(old) ? .copied(from: old) : .renamed(from: old)
  }

  /// Opens an identified document. Returns its state, or nil if its text is not known. `text` returns
  /// the text of a document that is `opened`; it is read again here, so that a message that waits does
  /// not hold it in memory.
  mutating func begin(
    _ document: DocumentID, as found: UnopenedDocument, in environment: LSPEnvironment,
    plan: inout LSPPlan, text: () -> UTF16Text?
  ) -> TextState? {
    switch found {
    case .renamed(let old) where documents[old] != nil:
      plan.anomalies.append(.renamedWithoutNotice(from: old))
      guard environment.isKnown(document) else {
        for planned in rename([.init(oldURI: old, newURI: document)]).documents {
          plan.add(planned)
        }
        return environment.state(old) ?? TextState()
      }
      return moveOntoKnown(old, to: document, in: environment, plan: &plan)
    case .copied(let old):
      guard let opened = documents[old], let state = environment.state(old) else { break }
      plan.anomalies.append(.savedUnderAnotherName(old))
      close(old, in: environment, plan: &plan)
      return open(
        document, version: opened.version, text: state.text,
        copyOf: CopySource(old, at: state.sequence), in: environment, plan: &plan)
    case .opened:
      guard let text = text() else { break }
      plan.anomalies.append(.openedByUse)
      return open(document, version: nil, text: text, in: environment, plan: &plan)
    case .renamed, .unknown: break
    }
    plan.anomalies.append(.notOpen)
    return nil
  }

  private func onlyDocument(
    withTextIn texts: Set<ComparableText>, in environment: LSPEnvironment
  ) -> DocumentID? {
    let found = documents.keys.filter { document in
      environment.state(document).map { texts.contains(ComparableText($0)) } ?? false
    }
    return found.count == 1 ? found.first : nil
  }

  /// Closes `old` if it is open, and changes the text of `new`, another document, to its text. Returns
  /// the state after the plan.
  private mutating func moveOntoKnown(
    _ old: DocumentID, to new: DocumentID, in environment: LSPEnvironment, plan: inout LSPPlan
  ) -> TextState? {
    guard let opened = documents[old] else { return environment.state(new) }
    guard let text = environment.state(old)?.text else {
      moveSession(old, to: new)
      return environment.state(new)
    }
    close(old, in: environment, plan: &plan)
    // If the client has opened the other document, it has sent that document's text.
    guard documents[new] == nil else { return environment.state(new) }
    return open(new, version: opened.version, text: text, in: environment, plan: &plan)
  }
}

extension LSPSession {
  /// Renames an open document that another client has renamed in the log.
  package mutating func moveSession(_ old: DocumentID, to new: DocumentID) {
    guard var opened = documents.removeValue(forKey: old), documents[new] == nil else { return }
    opened.document = new
    documents[new] = opened
  }
}
