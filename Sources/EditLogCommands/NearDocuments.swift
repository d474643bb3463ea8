import EditModel
import EditProtocol

/// Suggests documents that an argument may have meant, if it means none.
enum NearDocuments {
  /// The maximum number of suggestions.
  static let countMax = 3
  /// The number of documents whose names are compared, the first in the order of names.
  static let comparedMax = 20_000

  /// The documents with the nearest names, the nearest first: by the last component of the path, or
  /// by the whole name, in small letters. O(documents · length).
  static func documents(for argument: String, among documents: [DocumentID]) -> [DocumentID] {
    guard let meant = try? DocumentArgument(argument).candidates.first else { return [] }
    let whole = plain(meant.name).lowercased()
    let last = component(whole)
    // Any name of one or two characters would be near another.
    let limit = last.count < 3 ? 0 : min(last.count, 32) / 3
    var near: [(distance: Int, whole: Int, document: DocumentID)] = []
    for document in documents.prefix(comparedMax) where document != meant {
      let name = plain(document.name).lowercased()
      let distances = (bounded(last, component(name), limit), bounded(whole, name, limit))
      var nearest = min(distances.0 ?? .max, distances.1 ?? .max)
      // A beginning counts as the last of the near ones.
      if nearest == .max, component(name).hasPrefix(last) { nearest = limit + 1 }
      guard nearest != .max, nearest < near.last?.distance ?? .max || near.count <= countMax else {
        continue
      }
      let found = (nearest, distances.1 ?? .max, document)
      let index = near.firstIndex { (found.0, found.1) < ($0.distance, $0.whole) } ?? near.count
      near.insert(found, at: index)
      if near.count > countMax { near.removeLast() }
    }
    return near.map(\.document)
  }

  /// The distance of two names; nil if it is larger than `limit`. What they have in common at both
  /// ends is left out, so that of long paths the parts that differ are compared.
  private static func bounded(_ left: String, _ right: String, _ limit: Int) -> Int? {
    // A scalar has at most four bytes, so the lengths alone rule out most names.
    guard (left.utf8.count - right.utf8.count).magnitude <= 4 * limit else { return nil }
    var (left, right) = (left.unicodeScalars[...], right.unicodeScalars[...])
    while let first = left.first, first == right.first {
      left.removeFirst()
      right.removeFirst()
    }
    while let last = left.last, last == right.last {
      left.removeLast()
      right.removeLast()
    }
    // `NearName` compares the first 32 characters; longer rests are not near.
    guard abs(left.count - right.count) <= limit, max(left.count, right.count) <= 32 else {
      return nil
    }
    let distance = NearName.distance(String(left), String(right))
    return distance <= limit ? distance : nil
  }

  /// The path of a file's URI, and any other name as it is.
  private static func plain(_ name: String) -> String { FileURI.path(name) ?? name }

  private static func component(_ name: String) -> String {
    name.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) } ?? name
  }
}

extension Session {
  /// An error about an argument that means no document, with the document that its file may have been moved
  /// from, or with the nearest names that there are.
  func suggesting(_ error: ProtocolError, for argument: String) async -> ProtocolError {
    if error.code == .unknownDocument, let hint = await hintOfMove(to: argument) {
      var error = error
      error.message += "; " + hint
      return error
    }
    guard error.code == .unknownDocument,
      // If the documents cannot be listed, the error is as it was.
      let documents = try? await backend.ask(DocumentsRequest()).documents.map(\.document)
    else { return error }
    let near = NearDocuments.documents(for: argument, among: documents).map(\.argument.shown)
    guard let last = near.last else { return error }
    let first = near.dropLast().joined(separator: ", ")
    var error = error
    error.message += "; did you mean \(first.isEmpty ? last : "\(first) or \(last)")?"
    return error
  }
}
