/// Reads objects of a repository by their hashes.
struct GitObjectReader {
  private let git: Git

  /// The maximum size of an object that is read, in bytes, and of all that are read at a time.
  static let contentSizeMax = 64 << 20

  init(_ git: Git) { self.git = git }

  /// True for the hash of an object, SHA-1 or SHA-256.
  static func isHash(_ text: some StringProtocol) -> Bool {
    [40, 64].contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  /// Why an object cannot be read.
  struct Unreadable: Error, Hashable {
    let reason: String
  }

  /// The sizes of objects, in bytes.
  func sizes(of hashes: [String]) async throws -> [String: Result<Int, Unreadable>] {
    try await inHalves(hashes) { hashes in
      let outcome = try await git.run(
        ["cat-file", "--batch-check=%(objectname) %(objectsize)"], input: Self.lines(hashes))
      var sizes: [String: Result<Int, Unreadable>] = [:]
      for line in String(decoding: outcome.output, as: UTF8.self).split(separator: "\n") {
        let parts = line.split(separator: " ")
        guard parts.count == 2 else { continue }
        sizes[String(parts[0])] = Self.size(parts[1])
      }
      return (sizes, outcome.message)
    }
  }

  private static func size(_ text: Substring) -> Result<Int, Unreadable> {
    guard let size = Int(text) else {
      return .failure(Unreadable(reason: "the repository does not have its content"))
    }
    guard size <= contentSizeMax else {
      return .failure(
        Unreadable(reason: "\(size) bytes; the maximum is \(contentSizeMax)"))
    }
    return .success(size)
  }

  /// The contents of objects, which together should not be larger than `contentSizeMax`.
  func contents(of hashes: [String]) async throws -> [String: Result<[UInt8], Unreadable>] {
    try await inHalves(hashes) { hashes in
      let outcome = try await git.run(
        ["cat-file", "--batch=%(objectname) %(objectsize)"], input: Self.lines(hashes))
      var (contents, rest) = ([String: Result<[UInt8], Unreadable>](), outcome.output[...])
      while let end = rest.firstIndex(of: 0x0A) {
        let head = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
        let start = end + 1
        guard head.count == 2 else { break }
        let size = Self.size(head[1])
        guard case .success(let size) = size else {
          contents[String(head[0])] = size.map { _ in [] }
          rest = rest[start...]
          continue
        }
        guard rest.endIndex - start > size else { break }
        contents[String(head[0])] = .success(Array(rest[start..<start + size]))
        rest = rest[(start + size + 1)...]
      }
      return (contents, outcome.message)
    }
  }

  /// Asks for objects. git ends at an object that is damaged, so the rest is asked in two halves, until that
  /// object is alone.
  private func inHalves<Value>(
    _ hashes: [String],
    _ ask: ([String]) async throws -> ([String: Result<Value, Unreadable>], message: String)
  ) async throws -> [String: Result<Value, Unreadable>] {
    guard !hashes.isEmpty else { return [:] }
    var (found, message) = try await ask(hashes)
    let rest = hashes.filter { found[$0] == nil }
    guard !rest.isEmpty else { return found }
    if rest.count == 1 {
      found[rest[0]] = .failure(Unreadable(reason: "git says: \(message)"))
      return found
    }
    for half in [rest.prefix(rest.count / 2), rest.dropFirst(rest.count / 2)] {
      found.merge(try await inHalves(Array(half), ask)) { old, _ in old }
    }
    return found
  }

  private static func lines(_ hashes: [String]) -> [UInt8] {
    Array(hashes.map { $0 + "\n" }.joined().utf8)
  }
}
