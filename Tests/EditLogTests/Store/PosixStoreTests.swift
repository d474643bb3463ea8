import EditLog
import EditModel
import Glibc
import TestSupport
import Testing

/// Stores in real files.
@Suite struct PosixStoreTests {
  /// A folder that goes with the test.
  final class Folder {
    let path: String
    init() throws {
      var template = Array("/tmp/editlog-tests-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw Failure() }
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    deinit { Self.removeAll(path) }

    /// Removes links themselves, never what they lead to.
    static func removeAll(_ path: String) {
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        let stream = opendir(path)
      else {
        unlink(path)
        return
      }
      while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != ".", name != ".." { removeAll(path + "/" + name) }
      }
      closedir(stream)
      rmdir(path)
    }
    struct Failure: Error {}
  }

  private func writer(at path: String) throws -> StoreWriter {
    try StoreWriter(at: path, random: SeededBytes(seed: 1), options: .small)
  }

  @Test func agreesWithLists() throws {
    let folder = try Folder()
    let path = folder.path + "/store"
    let workload = Workload(seed: 3)
    for _ in 0..<2 {
      let writer = try writer(at: path)
      #expect(writer.recovery.isSound)
      for _ in 0..<15 { try workload.step(writer) }
      try writer.close()
    }
    let store = try Store.open(at: path)
    for (document, expected) in workload.oracle.histories {
      #expect(try entries(store.history(of: document)) == expected)
    }
    #expect(try store.verify().problems.isEmpty)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    #expect(stat(path + "/format", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func oneWriterAtATime() throws {
    let folder = try Folder()
    let path = folder.path + "/store"
    let first = try writer(at: path)
    #expect(throws: LogError.locked(path: path)) { _ = try writer(at: path) }
    let lock = try PosixFileSystem().directory(at: path).open("lock", .read)
    #expect(try lock.isLocked())
    try first.close()
    #expect(try !lock.isLocked())
    #expect(throws: LogError.poisoned(first: "the writer was closed")) { try first.confirm() }
    _ = try writer(at: path)
  }

  /// A process that another thread starts shares every open file until it runs its program. The
  /// lock still ends with the writer.
  @Test func aStartingProcessDoesNotKeepTheLock() throws {
    let folder = try Folder()
    let path = folder.path + "/store"
    let first = try writer(at: path)
    let shared = try #require(DiskFile.duplicate(ofOpenFileAt: path + "/lock"))
    defer { close(shared) }
    try first.close()
    _ = try writer(at: path)
  }

  @Test func aPathWithoutAStore() throws {
    let folder = try Folder()
    #expect(throws: LogError.noStore(path: folder.path + "/none")) {
      _ = try Store.open(at: folder.path + "/none")
    }
    #expect(throws: LogError.noStore(path: folder.path)) { _ = try Store.open(at: folder.path) }
  }

  static let document = "documents/00000000000000000001"
  static let files = [
    "format", "lock", "journal/00000000000000000001.journal",
    document + "/00000000000000000001.segment", document + "/00000000000000000003.checkpoint",
  ]
  static let directories = ["", "journal", "documents", document, "quarantine"]

  /// A first start makes the folders above the store too: `~/.local/state` may be missing.
  @Test func missingParentsAreMade() throws {
    let folder = try Folder()
    let path = folder.path + "/one/two/store/"
    try writer(at: path).close()
    #expect(try Store.open(at: path).verify().problems.isEmpty)
    let link = folder.path + "/link"
    #expect(symlink("nowhere", link) == 0)
    #expect(throws: LogError.self) { try writer(at: link + "/store") }
  }

  /// A writer that puts small first segments beside the folders.
  private func lone(at path: String) throws -> StoreWriter {
    var options = StoreWriter.Options.small
    options.loneSegmentSizeMax = 4_096
    return try StoreWriter(at: path, random: SeededBytes(seed: 1), options: options)
  }

  /// Makes a store of the documents `a` and `b`, with a folder in the place of the segment of `a`,
  /// or a file in the place of its folder; returns that path.
  private func refused(
    at path: String, _ source: inout EntrySource, isFolder: Bool
  ) throws -> String {
    let writer = try isFolder ? writer(at: path) : lone(at: path)
    for letter in ["a", "b"] {
      _ = try writer.append([(name(letter), [source.edit(of: name(letter))])])
    }
    try writer.sealAll()
    try writer.close()
    let place = path + "/documents/00000000000000000001" + (isFolder ? "" : ".segment")
    if isFolder {
      Folder.removeAll(place)
      #expect(close(open(place, O_CREAT | O_WRONLY, 0o600)) == 0)
    } else {
      #expect(unlink(place) == 0 && mkdir(place, 0o700) == 0)
    }
    return place
  }

  /// A wrong kind of file in place of a segment or folder affects only its document.
  @Test(arguments: [false, true])
  func `a refused name stops no other document`(isFolder: Bool) throws {
    let folder = try Folder()
    let path = folder.path + "/store"
    var source = EntrySource(seed: 1)
    _ = try refused(at: path, &source, isFolder: isFolder)
    let store = try Store.open(at: path)
    let problems = try store.documents(openingUpTo: 9).map(\.problem)
    guard problems.count == 2, case .refused = problems[0], problems[1] == nil else {
      Issue.record("\(problems)")
      return
    }
    #expect(try store.repairs().isEmpty)
    let problem = try #require(try store.verify().problems.first)
    #expect(problem.document == name("a"))
    guard case .refused = problem.error else { throw problem.error }
    #expect(try store.verify().problems.count == 1)
    #expect(try entries(store.history(of: name("b"))).count == 1)
    let writer = try lone(at: path)
    _ = try writer.append([(name("b"), [source.edit(of: name("b"))])])
    #expect(throws: LogError.self) {
      _ = try writer.append([(name("a"), [source.edit(of: name("a"))])])
    }
    try writer.close()
  }

  /// The losses of a store are accepted though a file of one document may not be read.
  @Test(arguments: [false, true])
  func `a refused name stops no other acceptance`(isFolder: Bool) throws {
    let folder = try Folder()
    let path = folder.path + "/store"
    var source = EntrySource(seed: 1)
    let first = try refused(at: path, &source, isFolder: isFolder)
    let second = isFolder ? "/00000000000000000001.segment" : ".segment"
    #expect(unlink(path + "/documents/00000000000000000002" + second) == 0)
    #expect(try Store.open(at: path).verify().problems.count == 2)
    let writer = try lone(at: path)
    #expect(throws: LogError.self) { try entries(writer.history(of: name("b"))) }
    #expect(throws: LogError.self) { _ = try writer.acceptLosses() }
    // The journal still has its entry.
    #expect(try entries(writer.history(of: name("b"))).count == 1)
    // It is not counted as lost: the file may be restored.
    #expect(remove(first) == 0)
    try writer.close()
  }

  /// What others could plant is refused, or passed over where nothing depends on it; nothing
  /// hangs, and what a link leads to is not touched.
  @Test(arguments: files + directories, ["link", "pipe", "other", "name"])
  func plantedFilesAreRefused(place: String, plant: String) throws {
    let folder = try Folder()
    let path = folder.path + "/store"
    var source = EntrySource(seed: 1)
    let list = (0..<9).map { _ in source.edit(of: name("a")) }
    do {
      let writer = try writer(at: path)
      _ = try writer.append([(name("a"), Array(list[..<6]))])
      try writer.seal(name("a"))
      _ = try writer.append([(name("a"), Array(list[6...]))])
      try writer.writeCheckpoint(name("a"), at: 3, Array("state".utf8))
      try writer.close()
    }
    let target = place.isEmpty ? path : path + "/" + place
    let isDirectory = Self.directories.contains(place)
    let aside = folder.path + "/aside"
    switch plant {
    case "link":
      #expect(rename(target, aside) == 0 && symlink(aside, target) == 0)
    case "pipe":
      #expect(rename(target, aside) == 0 && mkfifo(target, 0o600) == 0)
    case "other":
      #expect(rename(target, aside) == 0)
      #expect(
        isDirectory
          ? close(open(target, O_CREAT | O_WRONLY, 0o600)) == 0 : mkdir(target, 0o700) == 0)
    default:
      if isDirectory {
        #expect(chmod(target, 0o777) == 0)
      } else {
        #expect(link(target, aside) == 0)
      }
    }
    for attempt in [
      { try entries(Store.open(at: path).history(of: name("a"))) },
      { try entries(self.writer(at: path).history(of: name("a"))) },
    ] {
      do {
        let found = try attempt()
        #expect(found == list.map { $0 }, "\(place) as \(plant)")
      } catch let error as LogError {
        guard case .refused = error else {
          Issue.record("\(place) as \(plant): \(error)")
          continue
        }
      }
    }
  }
}
