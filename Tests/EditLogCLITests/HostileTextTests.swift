import ArgumentParser
import EditLog
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// Texts, names, authors, marks and attributes with characters that control a terminal or turn a line
/// round: on a terminal no verb prints one as it is, in any form of its output.
@Suite struct HostileTextTests {
  /// Escape sequences, C1 controls, overrides and isolates of direction, separators, and a tag.
  private static let hostile =
    "a\u{1B}[2J\u{1B}]0;t\u{7}b\u{9B}31mc\u{202E}d\u{2066}e\u{2069}f\u{85}g\u{2028}h\u{FEFF}i\r"
    + "j\u{8}k\u{7F}l\u{E0041}m\u{200F}n\u{0}o"
  private static let name = "d \u{1B}[31m\u{202E}"

  /// The verbs that read a document, and the forms of their output.
  private static let lines: [[String]] = [
    ["log"], ["log", "--edits", "-v"], ["log", "--json"], ["log", "-n", "2", "-r"], ["show"],
    ["show", "--json"], ["show", "--at", "2"], ["render", "--width", "60"],
    ["render", "--format", "ansi"], ["render", "--format", "json"], ["render", "--format", "html"],
    ["render", "--format", "svg"], ["render", "--page", "40x10"], ["diff", "--from", "0"],
    ["diff", "--from", "1", "--words"], ["diff", "--from", "1", "--paragraphs"],
    ["diff", "--from", "1", "--stat"], ["diff", "--from", "1", "--json"], ["paragraphs"],
    ["paragraphs", "--dead", "--life", "--lineage"], ["paragraphs", "--json"], ["inspect"],
    ["inspect", "--offset", "1"], ["inspect", "--offset", "1", "--json"],
    ["history", "--lines", "1,2"], ["history", "--lines", "1,2", "--json"], ["blame"],
    ["blame", "--porcelain"], ["blame", "--json"], ["blame", "--reverse", "--at", "1"],
    ["activity"], ["activity", "--json"], ["activity", "--format", "svg"], ["agents"],
    ["agents", "--json"], ["agents", "--format", "agent-trace"], ["outline"],
    ["outline", "--json"],
    ["outline", "--key", name], ["undo", "--list"], ["undo", "--list", "--json"],
    ["undo", "--dry-run"], ["undo", "--dry-run", "--json"],
    ["undo", "--dry-run", "--author", name],
    ["trace", "--min-length", "1"], ["trace", "--min-length", "1", "--json"],
    ["trace", "--min-length", "1", "--format", "chrome"],
    ["trace", "--min-length", "1", "--format", "speedscope"], ["marks"], ["marks", "--json"],
    ["attachment"], ["repro", "--around", "2"], ["repro", "--around", "2", "--redact"], ["status"],
    ["status", "--json"], ["du"], ["du", "--json"], ["export", "--format", "markdown"],
    ["export", "--format", "xml"], ["export", "--format", "html-text"],
    ["export", "--format", "attributed-json"], ["export", "--format", "trace"],
    ["export", "--format", "patch", "--from", "0"], ["export", "--format", "asciicast"],
    ["export", "--format", "svg"], ["bisect", "--from", "0"], ["scrub", "--plain"],
  ]

  @Test(arguments: lines)
  func `no verb prints it as it is on a terminal`(line: [String]) async throws {
    let store = try Self.store()
    var arguments = [line[0], Self.name] + line.dropFirst()
    if line[0] == "bisect" { arguments += ["--", "false"] }
    let (printed, noted) = try await Self.run(arguments, store, width: 100)
    #expect(!(printed + noted).isEmpty, "\(arguments)")
    Self.check(printed, arguments)
    Self.check(noted, arguments)
  }

  /// The verbs about the whole store.
  @Test(arguments: [
    ["documents"], ["documents", "--json"], ["overview"], ["overview", "--json"], ["status"],
    ["status", "--heads"], ["status", "--json"], ["du"], ["verify"], ["verify", "--json"],
    ["repair", "--dry-run"], ["activity"], ["grep", "a.*"], ["grep", "a", "--json"],
    ["grep", "-F", hostile],
  ])
  func `nor does a verb about the store`(arguments: [String]) async throws {
    let (printed, noted) = try await Self.run(arguments, try Self.store(), width: 100)
    Self.check(printed, arguments)
    Self.check(noted, arguments)
  }

  /// Into a file or a pipe, the text goes as it is.
  @Test func `show prints the exact text if it is not to a terminal`() async throws {
    let (printed, _) = try await Self.run(
      ["show", Self.name, "--at", "1"], try Self.store(), width: nil)
    #expect(Array(printed.utf8) == Array(("# " + Self.hostile + "\n").utf8))
  }

  // MARK: Helpers

  private static func store() throws -> RealStore {
    var script = HistoryScript(at: "2026-11-20T14:04:00Z")
    let first = "# " + hostile + "\n"
    try script.replace(0..<0, first, .paste, author: name)
    script.wait(seconds: 60)
    try script.replace(first.utf16.count..<first.utf16.count, hostile, .program, author: name)
    script.note(.mark(label: name, at: 2))
    script.wait(seconds: 60)
    try script.replace(2..<5, "", .removal, author: name)
    script.wait(seconds: 60)
    let run = AttributeRun(
      length: hostile.utf16.count, attributes: AttributeSet([name: .string(hostile)]))
    try script.replace(0..<1, hostile, .typing, author: hostile, attributes: .set([run]))
    return try RealStore(script.entries, document: name)
  }

  private static func run(
    _ arguments: [String], _ store: RealStore, width: Int?
  ) async throws -> (printed: String, noted: String) {
    let parsed = try EditLogCommand.parseAsRoot(arguments)
    let verb = try #require(parsed as? any Verb, "\(arguments)")
    let backend = try await makeStoreBackend(path: store.path)
    let bench = Bench(backend, width: width)
    var said = ""
    do { try await verb.run(in: bench.session) } catch {
      if !(error is ExitCode) { said = Ending(error).text }
    }
    await backend.close()
    return (bench.printed, bench.noted + said)
  }

  /// A form feed ends a page, and the colours of `render` are escape sequences of its own.
  private static func check(_ said: String, _ arguments: [String]) {
    var scalars = said.unicodeScalars[...]
    let isAnsi = arguments.contains("ansi")
    while let scalar = scalars.popFirst() {
      if scalar == "\u{1B}", isAnsi, scalars.first == "[" {
        let sequence = scalars.prefix { !("a"..."z").contains($0) }
        #expect(sequence.dropFirst().allSatisfy { "0123456789;".unicodeScalars.contains($0) })
        #expect(scalars.dropFirst(sequence.count).first == "m")
        continue
      }
      let isPage = scalar == "\u{C}" && arguments.contains("--page")
      // The tags of flags take no cell, and `render` leaves them in the text.
      let isTag = 0xE0020...0xE007F ~= scalar.value && arguments[0] == "render"
      guard !isPage, !isTag, scalar != "\n", scalar != "\t", !scalar.showsItself else { continue }
      Issue.record("U+\(String(scalar.value, radix: 16)) of \(arguments)")
      return
    }
  }
}
