import EditIngest
import EditModel
package import EditProtocol
import EditQueries
import Glibc

/// The documents that an argument may mean. All verbs use this rule.
///
/// 1. `name:x` is the document named `x`, and an argument with `://` in it is a document's name.
/// 2. An argument that begins with `/`, `./` or `../`, or is the path of a file, means that file's
///    document. The name of this document is the file's URI: first of the path as given, then of the
///    path with symbolic links resolved.
/// 3. Any other argument is a document's name.
///
/// If that document does not exist, the other of 2 and 3 is tried. If neither exists, the names mean
/// the document that had one of them before it was renamed; verbs that create or remove documents do
/// not use former names. An argument in double quotes, as names with special characters are printed,
/// is read as it was printed.
struct DocumentArgument {
  /// The names to try, in order.
  let candidates: [DocumentID]
  /// How many of the candidates are the argument's first meaning.
  let meantCount: Int

  /// The prefix of an argument that is a document's name, even if there is a file of this name.
  static let namePrefix = "name:"

  /// The candidates for `argument`. `directory` is the absolute path of the working directory.
  /// `resolve` returns a file's path without symbolic links, or nil if there is no such file.
  ///
  /// - Throws: `CommandError` (64) if the argument cannot be a document's name.
  init(
    _ argument: String, directory: String = Self.workingDirectory,
    resolve: (String) -> String? = Self.realPath
  ) throws(CommandError) {
    let isPrinted = argument.hasPrefix("\"")
    let argument = isPrinted ? String(shown: argument) ?? argument : argument
    let isExact = argument.hasPrefix(Self.namePrefix)
    let text = isExact ? String(argument.dropFirst(Self.namePrefix.count)) : argument
    guard let name = DocumentID(text) else {
      throw .usage(
        "a document's name has 1 to \(DocumentID.sizeMax) bytes, not \(text.utf8.count)")
    }
    if isExact || text.contains("://") {
      (candidates, meantCount) = ([name], 1)
      return
    }
    let path = FileURI.absolute(text, in: directory)
    let resolved = resolve(path)
    let files = [path, resolved].compactMap(\.self).map(FileURI.uri)
    var seen: Set<DocumentID> = [name]
    let documents = files.compactMap { DocumentID($0) }.filter { seen.insert($0).inserted }
    let isPath = resolved != nil || Self.hasFormOfPath(text)
    guard !isPath || !documents.isEmpty else { throw Self.tooLong(path) }
    candidates = isPath ? documents + [name] : [name] + documents
    meantCount = isPath ? documents.count : 1
  }

  /// The error for a path whose URI would be too long for a document's name.
  static func tooLong(_ path: String) -> CommandError {
    .usage(
      """
      the path \(path.shown) has \(Numbers.grouped(path.utf8.count)) bytes, more than a document's name can \
      have; move the file to a folder with a shorter path
      """)
  }

  /// True if a text is taken for a path, whatever files there are.
  static func hasFormOfPath(_ text: String) -> Bool {
    ["/", "./", "../"].contains { text.hasPrefix($0) }
  }

  static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// The path of a file without symbolic links. Nil if there is none, or a folder.
  static func realPath(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR,
      let resolved = realpath(path, nil)
    else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension DocumentArgument {
  /// The path that a file which is gone had, without symbolic links. Nil if its folder is gone too.
  static func realPathOfMissing(_ path: String) -> String? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
      let folder = realpath(String(path[...slash]), nil)
    else { return nil }
    defer { free(folder) }
    return FileURI.absolute(
      String(path[path.utf8.index(after: slash)...]), in: String(cString: folder))
  }
}

extension DocumentID {
  /// The argument that means this document here: the path of a file, or another name as it is, unless
  /// it would be taken for a path or an option.
  /// `String.shown` of it is read again too.
  var argument: String {
    if let path = FileURI.normalizedPath(name) { return path }
    let path = FileURI.absolute(name, in: DocumentArgument.workingDirectory)
    let isAmbiguous =
      DocumentArgument.hasFormOfPath(name) || name.hasPrefix("-")
      || name.hasPrefix(DocumentArgument.namePrefix)
      || !name.contains("://") && DocumentArgument.realPath(path) != nil
    return isAmbiguous ? exactArgument : name
  }

  /// The argument that means this document alone, whatever files and other documents there are.
  var exactArgument: String {
    name.contains("://") ? name : DocumentArgument.namePrefix + name
  }
}

extension Session {
  /// The answer to a question about the document that `argument` names.
  ///
  /// - Throws: `ProtocolError`: `unknownDocument`, with the nearest names, if no document that it may
  ///   mean exists.
  func ask<Q: HistoryQuestion>(
    _ argument: String, _ options: ReadingOptions, _ question: (HistoryReference) -> Q
  ) async throws -> Q.Answer {
    let bar = WaitingBar(self)
    defer { bar.end() }
    let answer = try await firstKnown(argument) { document in
      guard isWatched else { return try await backend.ask(question(options.reference(document))) }
      return try await backend.ask(question(options.reference(document)), progress: bar.show)
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

  /// The result of `body` for the first document that `argument` may mean and that exists.
  private func firstKnown<Value>(
    _ argument: String, _ body: (DocumentID) async throws -> Value
  ) async throws -> Value {
    var failure: ProtocolError?
    let found = try await first(argument) { document in
      do { return try await body(document) } catch let error as ProtocolError {
        let error = Self.plain(error, document)
        guard error.code == .unknownDocument else { throw error }
        failure = failure ?? error
        return nil
      }
    }
    if let found { return found.value }
    guard let renamed = try await renamedDocument(argument) else {
      throw await suggesting(
        failure ?? ProtocolError(.unknownDocument, "there is no document \(argument.shown)"),
        for: argument)
    }
    return try await body(renamed)
  }

  /// The document that had a name which `argument` may mean, before it was renamed. Says so once; nil
  /// if there is none.
  ///
  /// - Throws: `CommandError` (64) if several documents had the name.
  func renamedDocument(_ argument: String) async throws -> DocumentID? {
    for candidate in try DocumentArgument(argument).candidates {
      let renamed = try await documents(formerlyNamed: candidate)
      guard let document = renamed.first else { continue }
      let names = renamed.map(\.argument.shown)
      guard renamed.count == 1 else {
        throw CommandError.usage(
          """
          \(argument.shown) was the name of several documents: \(names.joined(separator: " and ")); \
          give one of these names
          """)
      }
      documents[argument] = document
      note("editlog: \(argument.shown) is now \(names[0])")
      return document
    }
    return nil
  }

  private func documents(formerlyNamed name: DocumentID) async throws -> [DocumentID] {
    do {
      return try await backend.ask(FormerNameRequest(name)).documents
    } catch let error as ProtocolError where error.code == .methodNotFound {
      // A daemon of an older version.
      return []
    }
  }

  /// The first document that `argument` may mean and for which `find` returns a value, with that
  /// value. Warns if another of these documents exists.
  func first<Value>(
    _ argument: String, _ find: (DocumentID) async throws -> Value?
  ) async throws -> (document: DocumentID, value: Value)? {
    // Once found, the document stays the same for the rest of the run, in all parts of an answer.
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

  /// Prints each warning of an answer once.
  package func warn(of reservation: Reservation) {
    if reservation.isIncomplete { warnings.noteIncomplete() }
    for warning in reservation.warnings {
      let line = "editlog: warning: " + Excerpt.line(warning, width: nil)
      if warnings.insert(line) { note(line) }
    }
  }

  /// The document that `argument` means, or the one to create if there is none.
  func documentForWriting(_ argument: String) async throws -> (id: DocumentID, exists: Bool) {
    let found = try await first(argument) { try await exists($0) ? true : nil }
    if let found { return (found.document, true) }
    return (try DocumentArgument(argument).candidates[0], false)
  }

  /// The one document that `argument` means, readable or not, without former names: for changes of what a
  /// document is called.
  ///
  /// - Parameters:
  ///   - argument: The argument.
  ///   - isLasting: True for a change that cannot be taken back. Then only the argument's first meaning counts.
  /// - Throws: `CommandError` (64) if it means several documents; `unknownDocument` if there is none.
  ///   Both name the documents that the argument may mean.
  func exactDocument(_ argument: String, isLasting: Bool) async throws -> DocumentID {
    let meaning = try DocumentArgument(argument)
    var found: [DocumentID] = []
    for document in meaning.candidates where try await exists(document) { found.append(document) }
    let names = found.map(\.exactArgument.shown).joined(separator: " and ")
    guard found.count < 2 else {
      throw CommandError.usage(
        "\(argument.shown) means several documents: \(names); give one of these names")
    }
    if let document = found.first,
      !isLasting || meaning.candidates.prefix(meaning.meantCount).contains(document)
    {
      return document
    }
    var error = ProtocolError.unknownDocument(meaning.candidates[0])
    if !found.isEmpty { error.message += "; there is \(names)" }
    var renamed: [DocumentID] = []
    for document in meaning.candidates {
      renamed += try await documents(formerlyNamed: document)
    }
    if !renamed.isEmpty {
      let names = renamed.map(\.argument.shown).joined(separator: " and ")
      error.message += "; it was renamed to \(names)"
    }
    let plain = Self.plain(error, meaning.candidates[0])
    throw found.isEmpty && renamed.isEmpty ? await suggesting(plain, for: argument) : plain
  }

  /// An error that names a document as it is given as an argument.
  private static func plain(_ error: ProtocolError, _ document: DocumentID) -> ProtocolError {
    var error = error
    // A name may also be a part of the words; a URI is none.
    if document.name.contains("://") {
      error.message.replace(document.shown, with: document.argument.shown)
    } else if let range = error.message.firstRange(of: "document \(document.name.shown)") {
      error.message.replaceSubrange(range, with: "document \(document.argument.shown)")
    }
    return error
  }

  /// True if there is a document of this name, readable or not.
  func exists(_ document: DocumentID) async throws -> Bool {
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
