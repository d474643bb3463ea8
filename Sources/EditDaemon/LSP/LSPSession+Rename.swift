public import EditModel
public import EditProtocol
import TextState

/// The identity of a document that a client changes or saves but has not opened.
public enum UnopenedDocument: Hashable, Sendable {
  /// An open document that was renamed without a notification.
  case renamed(from: DocumentID)
  /// Another document, whose text is known from the message, its file or the log.
  case opened
  /// Another document, whose text is not known.
  case unknown
}

/// The documents that one message renames.
struct LSPRenames: Hashable, Sendable {
  /// Documents whose new names are free if all of them are renamed at once. Each occurs once, with
  /// its first and its last name.
  var moves: [DidRenameFilesParams.Rename] = []
  /// Documents whose new name belongs to another document.
  var ontoKnown: [DidRenameFilesParams.Rename] = []
  /// Why the message is refused. If not nil, the lists are incomplete.
  var refusal: String?

  /// The moves in parts of about `LSPSession.movesAtOnceMax`, to be carried out in this order.
  /// Documents that exchange names are in one part. O(n).
  var parts: [[DidRenameFilesParams.Rename]] {
    var parts: [[DidRenameFilesParams.Rename]] = []
    for moves in independentMoves {
      if let last = parts.last, last.count + moves.count <= LSPSession.movesAtOnceMax {
        parts[parts.count - 1] += moves
      } else {
        parts.append(moves)
      }
    }
    return parts
  }

  /// The size of the largest group of documents that exchange names. O(n).
  fileprivate var exchangeCount: Int { independentMoves.map(\.count).max() ?? 0 }

  /// The moves in an order in which each new name is free: single moves, and groups of documents that
  /// exchange names.
  private var independentMoves: [[DidRenameFilesParams.Rename]] {
    let byOldName = Dictionary(moves.map { ($0.oldURI, $0) }) { first, _ in first }
    var visited: Set<DocumentID> = []
    var result: [[DidRenameFilesParams.Rename]] = []
    for move in moves {
      // Each move of the chain frees the name that the move before it needs.
      var chain: [DidRenameFilesParams.Rename] = []
      var next: DidRenameFilesParams.Rename? = move
      while let move = next, visited.insert(move.oldURI).inserted {
        chain.append(move)
        next = byOldName[move.newURI]
      }
      if let last = chain.last, last.newURI == move.oldURI {
        result.append(chain)
      } else {
        result += chain.reversed().map { [$0] }
      }
    }
    return result
  }
}

extension LSPSession {
  /// The maximum number of renames in one message. A document counts each time it is renamed.
  static let renameCountMax = 65_536
  /// The number of documents that are renamed in one batch, which takes 2 to 30 ms.
  static let movesAtOnceMax = 256
  /// The maximum number of documents that exchange names with one another, in one batch.
  static let exchangeCountMax = 1_024

  /// `didRenameFiles`: the documents of these names, and the open ones in folders of these names,
  /// keep their history under the new name.
  public mutating func didRenameFiles(
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
  /// O(n log n + (files + renames) · log n) comparisons for n open documents; each rename of an open
  /// document also moves O(n) names in memory.
  func renames(
    by params: DidRenameFilesParams, in environment: LSPEnvironment
  ) -> LSPRenames {
    var found = LSPRenames()
    var open = OpenNames(documents.keys)
    // The first name of each renamed document by its current name, and the names that are free now.
    var oldNames: [DocumentID: DocumentID] = [:]
    var freed: Set<DocumentID> = []
    var count = 0
    func isKnown(_ id: DocumentID) -> Bool {
      oldNames[id] != nil || !freed.contains(id) && environment.isKnown(id)
    }
    for file in params.files {
      let old = file.oldURI
      var documents = open.names(inFolder: old)
      if open.contains(old) || isKnown(old) { documents.append(old) }
      count += documents.count
      guard count <= Self.renameCountMax else {
        found.refusal = "rename documents more than \(Self.renameCountMax) times"
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
        if open.remove(document) { open.insert(target) }
      }
    }
    found.moves = oldNames.compactMap { $0 == $1 ? nil : .init(oldURI: $1, newURI: $0) }
      .sorted { $0.oldURI.precedes($1.oldURI) }
    if found.exchangeCount > Self.exchangeCountMax {
      found.refusal = "exchange the names of more than \(Self.exchangeCountMax) documents"
    }
    return found
  }

  /// Renames documents, all at once.
  mutating func rename(_ moves: [DidRenameFilesParams.Rename]) -> LSPPlan {
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

  /// Identifies a document that the client saves but has not opened. It is a renamed document if
  /// exactly one open document has this text. O(n) in the file and the open documents.
  func identify(
    _ document: DocumentID, savedAs text: UTF16Text?, in environment: LSPEnvironment
  ) -> UnopenedDocument {
    let evidence = [text, environment.textOfFile(document)].compactMap { $0 }
    let texts = Set(evidence.map(ComparableText.init))
    if let old = onlyDocument(withTextIn: texts, in: environment) { return .renamed(from: old) }
    return evidence.isEmpty ? .unknown : .opened
  }

  /// Identifies a document that the client changes but has not opened. O(n) in the file and the open
  /// documents.
  func identify(
    _ document: DocumentID, changedBy changes: [DidChangeParams.Change],
    in environment: LSPEnvironment
  ) -> UnopenedDocument {
    let text = environment.textOfFile(document)
    let texts: Set<ComparableText> = text.map { [ComparableText($0)] } ?? []
    // Without a file nothing but being the only one tells which document it is.
    let only = text == nil && documents.count == 1 && !environment.isKnown(document)
    let old = only ? documents.keys.first : onlyDocument(withTextIn: texts, in: environment)
    if let old { return .renamed(from: old) }
    let whole = changes.first.flatMap { $0.range == nil ? $0.text : nil }
    return whole == nil && text == nil && !environment.isKnown(document) ? .unknown : .opened
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
      plan.anomalies.append(.renamedUntold(from: old))
      guard environment.isKnown(document) else {
        for planned in rename([.init(oldURI: old, newURI: document)]).documents {
          plan.add(planned)
        }
        return environment.state(old) ?? TextState()
      }
      return moveOntoKnown(old, to: document, in: environment, plan: &plan)
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
      environment.state(document).map { texts.contains(ComparableText($0.text)) } ?? false
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
  mutating func moveSession(_ old: DocumentID, to new: DocumentID) {
    guard var opened = documents.removeValue(forKey: old), documents[new] == nil else { return }
    opened.document = new
    documents[new] = opened
  }
}

/// The sorted names of open documents.
private struct OpenNames {
  private var sorted: [DocumentID]

  init(_ names: some Collection<DocumentID>) { sorted = names.sorted { $0.precedes($1) } }

  /// The names in a folder and its subfolders. O(log n + found).
  func names(inFolder name: DocumentID) -> [DocumentID] {
    let folder = name.name.hasSuffix("/") ? name.name : name.name + "/"
    return Array(
      sorted[index(of: folder)...].prefix { $0.name.utf8.starts(with: folder.utf8) })
  }

  func contains(_ name: DocumentID) -> Bool {
    let index = index(of: name.name)
    return index < sorted.count && sorted[index] == name
  }

  mutating func insert(_ name: DocumentID) {
    if !contains(name) { sorted.insert(name, at: index(of: name.name)) }
  }

  /// Removes a name; returns false if it is not there.
  mutating func remove(_ name: DocumentID) -> Bool {
    guard contains(name) else { return false }
    sorted.remove(at: index(of: name.name))
    return true
  }

  /// The position of the first name that does not precede `name`.
  private func index(of name: String) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = low + (high - low) / 2
      if sorted[middle].name.utf8.lexicographicallyPrecedes(name.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
