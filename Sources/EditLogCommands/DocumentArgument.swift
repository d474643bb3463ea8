import EditDaemon
import EditModel
import EditProtocol
import EditQueries
import Glibc

/// Which documents an argument may mean.
///
/// A name is used as it is. If there is no document of this name, the argument is taken for a
/// file's path, and the file's URI is tried as editors write it: absolute, percent-encoded; first
/// of the path as given, then with symbolic links resolved.
struct DocumentArgument {
  /// Names to try, in this order.
  let candidates: [DocumentID]

  /// The candidates for `argument`; `directory` is the absolute path of the working directory,
  /// `resolve` gives the path without symbolic links, nil where there is no such file.
  ///
  /// - Throws: `CommandError` (64) where the argument can be no document's name.
  init(
    _ argument: String, directory: String = Self.workingDirectory,
    resolve: (String) -> String? = Self.realPath
  ) throws(CommandError) {
    guard let name = DocumentID(argument) else {
      throw .usage(
        "a document's name has 1 to \(DocumentID.sizeMax) bytes, not \(argument.utf8.count)")
    }
    var candidates = [name]
    if !argument.contains("://") {
      let path = Self.absolute(argument, in: directory)
      let paths = [path, resolve(path) ?? path]
      for encode in [Self.isKeptByMost, Self.isKeptByStrict] {
        candidates += paths.compactMap { DocumentID(Self.fileURI($0, keeping: encode)) }
      }
    }
    var seen: Set<DocumentID> = []
    self.candidates = candidates.filter { seen.insert($0).inserted }
  }

  /// The URI of the file at `path`, as editors name the document.
  static func fileURI(of path: String) -> String {
    fileURI(absolute(path, in: workingDirectory), keeping: isKeptByMost)
  }

  /// `path` as an absolute path without `.`, `..` and double slashes.
  static func absolute(_ path: String, in directory: String) -> String {
    var parts: [Substring] = []
    for part in (path.hasPrefix("/") ? path : directory + "/" + path).split(separator: "/") {
      switch part {
      case ".": continue
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
    return "/" + parts.joined(separator: "/")
  }

  private static func fileURI(_ path: String, keeping isKept: (UInt8) -> Bool) -> String {
    "file://"
      + path.utf8.reduce(into: "") { result, byte in
        if isKept(byte) { return result.unicodeScalars.append(Unicode.Scalar(byte)) }
        let digits = String(byte, radix: 16, uppercase: true)
        result += (byte < 16 ? "%0" : "%") + digits
      }
  }

  /// What Neovim, Helix, Kate and Emacs leave alone: the characters of a path in RFC 3986.
  private static func isKeptByMost(_ byte: UInt8) -> Bool {
    isKeptByStrict(byte) || "!$&'()*+,;=:@".utf8.contains(byte)
  }

  /// What VS Code leaves alone.
  private static func isKeptByStrict(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~/".utf8.contains(byte)
    }
  }

  private static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension Session {
  /// The answer to a question about the document that `argument` names.
  ///
  /// - Throws: `ProtocolError`: `unknownDocument` of the first candidate if none of them exists.
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
    for candidate in try DocumentArgument(argument).candidates {
      do { return try await body(candidate) } catch let error as ProtocolError
        where error.code == .unknownDocument
      { failure = failure ?? error }
    }
    throw failure ?? ProtocolError(.unknownDocument, "there is no document \(argument.shown)")
  }

  /// Prints what may be missing from an answer, once.
  func warn(of reservation: Reservation) {
    if reservation.isIncomplete { warnings.noteIncomplete() }
    for warning in reservation.warnings {
      let line = "editlog: warning: " + Excerpt.line(warning, width: nil)
      if warnings.insert(line) { note(line) }
    }
  }

  /// The document that `argument` names if one exists, else the one to create.
  func documentForWriting(_ argument: String) async throws -> (id: DocumentID, exists: Bool) {
    let candidates = try DocumentArgument(argument).candidates
    for candidate in candidates where try await exists(candidate) { return (candidate, true) }
    return (candidates[0], false)
  }

  /// The document that `argument` names, readable or not.
  ///
  /// - Throws: `unknownDocument` if there is none.
  func existingDocument(_ argument: String) async throws -> DocumentID {
    let candidates = try DocumentArgument(argument).candidates
    for candidate in candidates {
      do {
        guard try await exists(candidate) else { continue }
      } catch let error as ProtocolError where error.code != .damagedLog {
        throw error
      } catch {}
      return candidate
    }
    throw ProtocolError.unknownDocument(candidates[0])
  }

  private func exists(_ document: DocumentID) async throws -> Bool {
    do {
      _ = try await backend.ask(LogRequest(HistoryReference(document), limit: 1))
      return true
    } catch let error as ProtocolError where error.code == .unknownDocument {
      return false
    }
  }
}
