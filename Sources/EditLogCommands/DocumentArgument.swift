import EditIngest
import EditModel
import EditProtocol
import EditQueries
import Glibc

/// Which documents an argument may mean: the one rule of all verbs.
///
/// 1. `name:x` is the document named `x`, and an argument with `://` in it is a document's name.
/// 2. An argument that begins with `/`, `./` or `../`, or at whose path there is a file, is that
///    file's document, whose name is the file's URI as editors write it: of the path as given, then
///    with symbolic links resolved.
/// 3. Any other argument is a document's name.
///
/// If that document does not exist, the other of 2 and 3 is tried.
struct DocumentArgument {
  /// Names to try, in this order.
  let candidates: [DocumentID]

  /// Makes an argument a name, whatever files there are.
  static let namePrefix = "name:"

  /// The candidates for `argument`; `directory` is the absolute path of the working directory,
  /// `resolve` gives a file's path without symbolic links, nil if there is no such file.
  ///
  /// - Throws: `CommandError` (64) if the argument can be no document's name.
  init(
    _ argument: String, directory: String = Self.workingDirectory,
    resolve: (String) -> String? = Self.realPath
  ) throws(CommandError) {
    guard let name = DocumentID(argument) else {
      throw .usage(
        "a document's name has 1 to \(DocumentID.sizeMax) bytes, not \(argument.utf8.count)")
    }
    if argument.hasPrefix(Self.namePrefix) {
      let exact = DocumentID(String(argument.dropFirst(Self.namePrefix.count)))
      candidates = [exact, name].compactMap(\.self)
      return
    }
    if argument.contains("://") {
      candidates = [name]
      return
    }
    let path = FileURI.absolute(argument, in: directory)
    let resolved = resolve(path)
    let files = FileURI.uris(of: path) + (resolved.map(FileURI.uris) ?? [])
    let documents = files.compactMap { DocumentID($0) }
    let isPath = resolved != nil || ["/", "./", "../"].contains { argument.hasPrefix($0) }
    var seen: Set<DocumentID> = []
    candidates = (isPath ? documents + [name] : [name] + documents)
      .filter { seen.insert($0).inserted }
  }

  /// The absolute path of the working directory.
  static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func realPath(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR,
      let resolved = realpath(path, nil)
    else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension DocumentID {
  /// The argument that means this document, wherever it is given: a file's path; another name as it
  /// is, unless it could be taken for a path.
  var argument: String {
    if let path = FileURI.path(name) { return path }
    let isAmbiguous = ["/", "./", "../", DocumentArgument.namePrefix].contains {
      name.hasPrefix($0)
    }
    return isAmbiguous ? exactArgument : name
  }

  /// The same, also beside a file of this name.
  var exactArgument: String {
    FileURI.path(name) ?? (name.contains("://") ? name : DocumentArgument.namePrefix + name)
  }
}

extension Session {
  /// The answer to a question about the document that `argument` names.
  ///
  /// - Throws: `ProtocolError`: `unknownDocument` if it means none that exists.
  func ask<Q: HistoryQuestion>(
    _ argument: String, _ options: ReadingOptions, _ question: (HistoryReference) -> Q
  ) async throws -> Q.Answer {
    let answer = try await firstKnown(argument) { document in
      try await backend.ask(question(options.reference(document)))
    }
    warn(of: answer.reservation)
    return answer
  }

  /// Performs a change of the document that `argument` names.
  ///
  /// - Throws: as `ask`.
  func perform<C: Change>(_ argument: String, _ change: (DocumentID) -> C) async throws -> C.Answer
  {
    try await firstKnown(argument) { try await backend.perform(change($0)) }
  }

  /// The result of `body` for the first of the documents that `argument` may mean and that exists.
  private func firstKnown<Value>(
    _ argument: String, _ body: (DocumentID) async throws -> Value
  ) async throws -> Value {
    var failure: ProtocolError?
    let found = try await first(argument) { document in
      do { return try await body(document) } catch let error as ProtocolError
        where error.code == .unknownDocument
      {
        failure = failure ?? error
        return nil
      }
    }
    guard let found else {
      throw failure ?? ProtocolError(.unknownDocument, "there is no document \(argument.shown)")
    }
    return found.value
  }

  /// What `find` has for the first of the documents that `argument` may mean and that it has
  /// something for. Warns if another of them exists.
  func first<Value>(
    _ argument: String, _ find: (DocumentID) async throws -> Value?
  ) async throws -> (document: DocumentID, value: Value)? {
    // Once found, it is the same for the rest of the run, in all parts of an answer.
    if let document = documents[argument] {
      return try await find(document).map { (document, $0) }
    }
    let candidates = try DocumentArgument(argument).candidates
    for (index, candidate) in candidates.enumerated() {
      guard let value = try await find(candidate) else { continue }
      documents[argument] = candidate
      for other in candidates[(index + 1)...] where try await exists(other) {
        let line = """
          editlog: warning: \(argument.shown) means two documents: \
          \(candidate.exactArgument.shown), which is used, and \(other.exactArgument.shown)
          """
        if warnings.insert(line) { note(line) }
      }
      return (candidate, value)
    }
    return nil
  }

  /// Prints what may be missing from an answer, once.
  func warn(of reservation: Reservation) {
    if reservation.isIncomplete { warnings.noteIncomplete() }
    for warning in reservation.warnings {
      let line = "editlog: warning: " + Excerpt.line(warning, width: nil)
      if warnings.insert(line) { note(line) }
    }
  }

  /// The document that `argument` means if one exists, else the one to create.
  func documentForWriting(_ argument: String) async throws -> (id: DocumentID, exists: Bool) {
    let found = try await first(argument) { try await exists($0) ? true : nil }
    if let found { return (found.document, true) }
    return (try DocumentArgument(argument).candidates[0], false)
  }

  /// The document that `argument` means, readable or not.
  ///
  /// - Throws: `unknownDocument` if there is none.
  func existingDocument(_ argument: String) async throws -> DocumentID {
    let (document, exists) = try await documentForWriting(argument)
    guard exists else { throw ProtocolError.unknownDocument(document) }
    return document
  }

  /// True if there is a document of this name, readable or not.
  private func exists(_ document: DocumentID) async throws -> Bool {
    do {
      _ = try await backend.ask(
        LogPreviewRequest(HistoryReference(document), HistoryPart(limit: 1), textMax: 0))
      return true
    } catch let error as ProtocolError where error.code == .unknownDocument {
      return false
    } catch let error as ProtocolError where error.code == .damagedLog {
      return true
    }
  }
}
