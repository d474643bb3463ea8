import EditModel
import Glibc
import TestSupport
import Testing

@testable import EditLog
@testable import EditLogFormat

/// S4: a document's name is data in the files of a store, and never a part of a path.
@Suite struct HostileDocumentNameTests {
  private static let parts = [
    "..", "/", ".", "\u{0}", "\n", "\r", "CON", "NUL", "\\", "~", "$HOME", "%2e%2e%2f", "*", "-rf",
    "\u{202E}", "\u{FEFF}", "\u{FFFD}", "e\u{301}", "\u{E9}", "\u{1F469}\u{200D}\u{1F469}",
    "format", "lock", "journal", "documents", "quarantine", ".segment", ".tmp", "file://",
    String(repeating: "x", count: 255), "\u{7F}", "\u{1B}[2J", " ", "\t",
  ]

  private static func name(_ random: inout SplitMix64) -> String {
    let count = Int.random(in: 1...6, using: &random)
    return (0..<count).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
  }

  /// The paths below a folder, relative to it.
  private func paths(in folder: String, _ prefix: String = "") throws -> [String] {
    let listing = try #require(opendir(folder))
    defer { closedir(listing) }
    var found: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      found.append(prefix + name)
      if Int(entry.pointee.d_type) == DT_DIR {
        found += try paths(in: folder + "/" + name, prefix + name + "/")
      }
    }
    return found
  }

  @Test func tenThousandNamesLeadToNoPath() throws {
    let folder = TemporaryFolder(in: "/dev/shm")
    var random = SplitMix64(seed: 4)
    let names = Set(
      (0..<20_000).map { _ in Self.name(&random) } + Self.parts
        + [String(repeating: "../", count: 341) + "x", "/etc/passwd", "../../../../tmp/el-escaped"])
    let documents = names.compactMap { DocumentID($0) }
    #expect(documents.count >= 10_000)
    let writer = try StoreWriter(at: folder.path("store"))
    for start in stride(from: 0, to: documents.count, by: 500) {
      let part = documents[start..<min(start + 500, documents.count)]
      _ = try writer.append(
        part.map { document in
          let action = EditAction(
            replacing: UTF16Range(0..<0), with: UTF16Text(document.name))
          return (document, [.edit(Edit(sequence: 1, action: action))])
        })
    }
    for document in documents.prefix(200) { try writer.seal(document) }
    try writer.close()
    let store = try Store.open(at: folder.path("store"))
    #expect(try Set(store.documentNumbers().keys) == Set(documents))
    for document in documents {
      let entries = try entries(store.history(of: document))
      guard case .edit(let edit)? = entries.first else {
        Issue.record("\(document.shown) has no edit")
        continue
      }
      #expect(edit.action.replacement == UTF16Text(document.name))
    }
    #expect(try store.verify().unknownFiles == [])
    // Nothing but the store, and in it only numbers and the store's own names.
    #expect(try paths(in: folder.path).allSatisfy { $0 == "store" || $0.hasPrefix("store/") })
    let own: Set = ["format", "lock", "confirmed", "catalog", "journal", "documents", "quarantine"]
    for path in try paths(in: folder.path("store")) {
      for part in path.split(separator: "/") where !own.contains(String(part)) {
        let stem = part.split(separator: ".")[0]
        #expect(stem.utf8.allSatisfy { (0x30...0x39).contains($0) }, "\(path)")
      }
    }
    #expect(access("/tmp/el-escaped", F_OK) != 0)
  }

  /// Names that are too long, or are none, are no documents.
  @Test func impossibleNamesAreNone() {
    for name in [
      "", String(repeating: "x", count: DocumentID.sizeMax + 1),
      String(repeating: "x", count: 65_536),
    ] {
      #expect(DocumentID(name) == nil)
    }
  }
}
