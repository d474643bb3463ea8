import CZstd
import EditLog
import EditLogFormat
import EditModel
import Foundation
import TestSupport
import Testing

/// Stores of every released format stay readable, and what is wrong with them is reported, for ever.
/// `Tools/read-log/check` asks the same of a reader that shares no code with this one.
@Suite struct ReleasedFormatTests {
  private static let released = ReleasedFormat.allCases.flatMap { format in
    StoreRecipe.all(in: format).map { ($0, format) }
  }

  @Test(arguments: released)
  func `a reader finds what was written`(recipe: StoreRecipe, format: ReleasedFormat) throws {
    let system = try ReleasedFiles.load(recipe, format)
    let before = system.files(below: "/store")
    var found = try Self.found { try Store.open(at: "/store", fileSystem: system) }
    let lines = try ReleasedFiles.expectedLines(of: recipe, format)
    // A reader passes a torn end over.
    found.tornBytes = lines.contains { $0.hasPrefix("torn ") } ? try torn(recipe, format) : 0
    #expect(found.lines == lines)
    #expect(system.files(below: "/store") == before)
  }

  /// What was read before recovery is read after it, by the writer and by the next reader.
  @Test(arguments: released)
  func `recovery keeps what a reader finds`(recipe: StoreRecipe, format: ReleasedFormat) throws {
    let system = try ReleasedFiles.load(recipe, format)
    let before = system.files(below: "/store")
    let lines = try ReleasedFiles.expectedLines(of: recipe, format)
    do {
      let writer = try openWriter(system, seed: 2)
      for document in writer.documentIDs {
        guard let history = try? writer.history(of: document) else { continue }
        #expect(lines.contains { $0 == Self.line(try? Self.document(history)) })
      }
      let read = lines.filter { $0.hasPrefix("document ") }.count
      let refused = lines.filter { $0.hasPrefix("refused ") }.count
      #expect(writer.documentIDs.count == read + refused)
      #expect(try writer.recovery.tornBytes == torn(recipe, format))
      try writer.close()
    } catch LogError.newerFormat {
      #expect(recipe == .storeNewer)
      #expect(system.files(below: "/store") == before)
      return
    }
    let after = try Self.found { try Store.open(at: "/store", fileSystem: system) }
    #expect(after.journalDamages.isEmpty)
    for prefix in ["document ", "history-damage ", "refused "] {
      #expect(
        after.lines.filter { $0.hasPrefix(prefix) } == lines.filter { $0.hasPrefix(prefix) })
    }
    // What is refused is left as it is.
    for (path, bytes) in before where path.hasSuffix(".segment") {
      #expect(system["/store/\(path)"] == bytes)
    }
  }

  @Test func `attachments have the bytes that were stored`() throws {
    let system = try ReleasedFiles.load(.attachments, .v1_1)
    let store = try Store.open(at: "/store", fileSystem: system)
    for (document, contents) in StoreRecipe.attachedBytes {
      let found = try store.attachments(of: name(document))
      #expect(found.map(\.size).sorted() == contents.map(\.count).sorted())
      let bytes = try found.map { try store.attachment($0.digest, of: name(document)) }
      #expect(Set(bytes) == Set(contents))
    }
  }

  /// Today's writer makes the same bytes: the format did not change silently.
  @Test(arguments: StoreRecipe.allCases.filter { !$0.isCompressed })
  func `journals are written as ever`(recipe: StoreRecipe) throws {
    try expectSameFiles(recipe)
  }

  @Test(
    .enabled(
      if: ReleasedFiles.zstdVersion == ZSTD_versionNumber(),
      "the linked libzstd is not the one that compressed the fixtures; its bytes may differ"),
    arguments: StoreRecipe.allCases.filter { $0.isCompressed })
  func `segments are written as ever`(recipe: StoreRecipe) throws {
    try expectSameFiles(recipe)
  }

  private func expectSameFiles(_ recipe: StoreRecipe) throws {
    let made = try recipe.make()
    var new = made.system.files(below: "/store")
    let old = try ReleasedFiles.files(of: recipe)
    // The list of attachments is younger than the fixtures.
    if old["attachments"] == nil { new["attachments"] = nil }
    #expect(new.keys.sorted() == old.keys.sorted())
    for (path, bytes) in old {
      let isSame = new[path] == bytes
      #expect(isSame, "\(path)")
    }
    #expect(try made.expected.lines == ReleasedFiles.expectedLines(of: recipe))
  }

  private static let target = ProcessInfo.processInfo.environment["EDITLOG_WRITE_FIXTURES"]

  /// For a new format: `EDITLOG_WRITE_FIXTURES=FOLDER swift test --filter ReleasedFormatTests`.
  @Test(.enabled(if: target != nil, "no folder is named to write fixtures to"))
  func `fixtures are made`() throws {
    let folder = URL(filePath: try #require(Self.target), directoryHint: .isDirectory)
    for recipe in StoreRecipe.allCases {
      try ReleasedFiles.write(try recipe.make(), recipe, below: folder)
    }
    try Data("\(ZSTD_versionNumber())\n".utf8).write(to: folder.appending(path: "zstd"))
  }

  // MARK: What is found

  private func torn(_ recipe: StoreRecipe, _ format: ReleasedFormat) throws -> Int {
    let line = try ReleasedFiles.expectedLines(of: recipe, format).first { $0.hasPrefix("torn ") }
    return line.flatMap { Int($0.dropFirst("torn ".count)) } ?? 0
  }

  /// Everything a reader tells of a store.
  private static func found(_ open: () throws -> Store) throws -> Expectation {
    var found = Expectation()
    let store: Store
    do { store = try open() } catch LogError.newerFormat { return Expectation(verdict: .newer) }
    found.journalDamages = store.damages
    for (document, number) in try store.documentNumbers().sorted(by: { $0.value < $1.value }) {
      do {
        guard let history = try store.history(of: document) else { continue }
        found.documents.append(try self.document(history))
        found.historyDamages += history.damage.map { (number, $0) }
      } catch LogError.newerFormat { found.refused.append(number) } catch LogError.damaged {
        found.refused.append(number)
      }
    }
    let report = try store.verify()
    found.verdict = verdict(report.problems)
    if report.losses.contains(where: { $0.kind == .entries }) { found.verdict = .damaged }
    return found
  }

  private static func verdict(_ problems: [VerificationReport.Problem]) -> Expectation.Verdict {
    func isNewer(_ error: LogError) -> Bool {
      if case .newerFormat = error { true } else { false }
    }
    if problems.contains(where: { isNewer($0.error) }) { return .newer }
    if problems.contains(where: { !$0.isRepairable }) { return .damaged }
    return problems.isEmpty ? .sound : .repairable
  }

  private static func document(_ history: History) throws -> Expectation.Document {
    Expectation.Document(history.number, history.document, try entries(history))
  }

  private static func line(_ document: Expectation.Document?) -> String? {
    document.flatMap { Expectation(documents: [$0]).lines.last }
  }
}
