package import EditModel
package import EditProtocol

/// The documents that one message renames.
package struct LSPRenames: Hashable, Sendable {
  /// Documents whose new names are free if all of them are renamed at once. Each occurs once, with
  /// its first and its last name.
  package var moves: [DidRenameFilesParams.Rename] = []
  /// Documents whose new name belongs to another document.
  package var ontoKnown: [DidRenameFilesParams.Rename] = []
  /// Why the message is refused. If not nil, the lists are incomplete.
  package internal(set) var refusal: String?

  /// The number of documents that are renamed in one batch, which takes 2 to 30 ms.
  package static let movesAtOnceMax = 256
  /// The maximum number of renames in one message. A document counts each time it is renamed.
  static let countMax = 65_536
  /// The maximum number of documents that exchange names with one another, in one batch.
  package static let exchangeCountMax = 1_024

  /// The moves in parts of about `movesAtOnceMax`, to be carried out in this order. Documents that
  /// exchange names are in one part. O(n).
  package var parts: [[DidRenameFilesParams.Rename]] {
    var parts: [[DidRenameFilesParams.Rename]] = []
    for moves in independentMoves {
      if let last = parts.last, last.count + moves.count <= Self.movesAtOnceMax {
        parts[parts.count - 1] += moves
      } else {
        parts.append(moves)
      }
    }
    return parts
  }

  /// The size of the largest group of documents that exchange names. O(n).
  var exchangeCount: Int { independentMoves.map(\.count).max() ?? 0 }

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

/// The names of folders, which tell of each document whether it is in one of them.
package struct FolderNames: Sendable {
  /// With a slash at the end, in the order of their bytes. None is in another.
  private let folders: [String]

  /// The folders with these names. O(n log n).
  package init(_ names: [DocumentID]) {
    folders = names.map(\.asFolder).sorted { $0.precedesExactly($1) }.reduce(into: []) {
      if $0.last.map($1.startsExactly) != true { $0.append($1) }
    }
  }

  /// True if a document is in one of the folders or in a subfolder. O(log n) comparisons.
  package func contains(_ document: DocumentID) -> Bool {
    // Between a folder and a name in it are only names in the folder.
    let index = folders.partitionPoint { !document.name.precedesExactly($0) }
    return index > 0 && document.name.startsExactly(with: folders[index - 1])
  }
}

extension DocumentID {
  /// The name with a slash at its end.
  fileprivate var asFolder: String {
    name.utf8.last == UInt8(ascii: "/") ? name : name + "/"
  }
}

/// The sorted names of documents.
struct SortedNames {
  private var sorted: [DocumentID]

  init(_ names: some Collection<DocumentID>) { sorted = names.sorted { $0.precedes($1) } }

  /// The names in a folder and its subfolders. O(log n + found).
  func names(inFolder name: DocumentID) -> [DocumentID] {
    let folder = name.asFolder
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

  /// Removes a name. Returns false if it is not there.
  mutating func remove(_ name: DocumentID) -> Bool {
    guard contains(name) else { return false }
    sorted.remove(at: index(of: name.name))
    return true
  }

  /// The position of the first name that does not precede `name`.
  private func index(of name: String) -> Int {
    sorted.partitionPoint { $0.name.precedesExactly(name) }
  }
}

extension DocumentID {
  /// The order of the names' bytes.
  package func precedes(_ other: DocumentID) -> Bool { name.precedesExactly(other.name) }
}
