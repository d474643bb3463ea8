import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import Interchange
import TestSupport
import Testing

@testable import EditLogCommands

/// `export`, `import` of files, and `style`, on a real store.
@Suite struct InterchangeVerbTests {
  private let harness: StoreHarness
  private let bench: Bench

  init() async throws {
    harness = try await StoreHarness()
    bench = Bench(harness)
  }

  private func run<V: Verb>(_ verb: V.Type, _ arguments: String...) async throws {
    try await verb.parse(arguments).run(in: bench.session)
  }

  private func state(_ name: String) async throws -> AttributedText {
    let state = try await harness.ask(StateRequest(HistoryReference(document(name))))
    return try AttributedText(state.text, runs: state.attributeRuns)
  }

  /// What `export` writes to a file.
  private func exported(_ name: String, _ arguments: String...) async throws -> [UInt8] {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("out")
    try await ExportCommand.parse([name, "--output", path] + arguments).run(in: bench.session)
    return try DiskFile.bytes(path)
  }

  private static let paragraphs = #"""
    [{"text":"Titel\n","attributes":{"heading":1}},
     {"text":"plain bold\r\n","attributeRuns":[{"length":6,"attributes":{}},
       {"length":4,"attributes":{"bold":true,"mine":{"$bytes":"AAE="}}},{"length":2,"attributes":{}}]},
     "\u0000\ud800 \u2029","end"]
    """#

  /// What is imported is there, as one edit; what is exported and imported again is the same.
  @Test(arguments: ["xml", "attributed-json"])
  func aVersionComesBack(format: String) async throws {
    try await withTemporaryFile(Array(Self.paragraphs.utf8)) { path in
      try await run(ImportParagraphsCommand.self, path, "--document", "a")
    }
    let text = try await state("a")
    #expect(
      text.text.units == Array("Titel\nplain bold\r\n\0".utf16) + [0xD800]
        + Array(" \u{2029}end".utf16))
    let edits = try await harness.edits(of: "a")
    #expect(edits.count == 1 && edits[0].origin == .load)
    let bytes = try await exported("a", "--format", format)
    try await withTemporaryFile(bytes) { path in
      if format == "xml" {
        try await run(ImportXMLCommand.self, path, "--document", "b")
      } else {
        try await run(ImportAttributedJSONCommand.self, path, "--document", "b")
      }
    }
    #expect(try await state("b") == text)
    #expect(bench.noted.contains("Imported 1 edit in 1 transaction into b"))
    #expect(try await exported("b", "--format", format) == bytes)
    // An old version is written as it was.
    try await run(StyleCommand.self, "b", "--range", "0,1", "--set", "x=2")
    #expect(try await exported("b", "--format", format) != bytes)
    #expect(try await exported("b", "--format", format, "--at", "1") == bytes)
  }

  @Test func markupComesBackAndLossesAreSaid() async throws {
    let markdown = "# T\n\na *b* [c](<x>)\n\n- i\n"
    try await withTemporaryFile(Array(markdown.utf8)) { path in
      try await run(ImportMarkdownCommand.self, path, "--document", "a")
    }
    #expect(
      String(decoding: try await exported("a", "--format", "markdown"), as: UTF8.self) == markdown)
    let html = try await exported("a", "--format", "html-text")
    try await withTemporaryFile(html) { path in
      try await run(ImportHTMLCommand.self, path, "--document", "b")
    }
    #expect(try await state("b") == state("a"))
    #expect(!bench.noted.contains("left out"))
    try await run(StyleCommand.self, "a", "--range", "0,1", "--set", "mine=3")
    _ = try await exported("a", "--format", "markdown")
    #expect(bench.noted.contains("editlog: attributes left out: mine"))
  }

  /// What is imported without a heading, a list or a quote is known to be paragraphs; files have no sign for it.
  @Test func paragraphsAreMarked() async throws {
    let markdown = "First paragraph.\n\nSecond *here*.\n\n```\nx\n```\n"
    try await withTemporaryFile(Array(markdown.utf8)) { path in
      try await run(ImportMarkdownCommand.self, path, "--document", "a")
    }
    try await withTemporaryFile(Array("<p>one</p><p>two</p>".utf8)) { path in
      try await run(ImportHTMLCommand.self, path, "--document", "b")
    }
    func marks(_ name: String) async throws -> [Bool] {
      try await state(name).runs.map { $0.attributes["paragraph"] == .bool(true) }
    }
    #expect(try await marks("a") == [true, true, true, false])
    #expect(try await marks("b") == [true])
    #expect(
      String(decoding: try await exported("a", "--format", "markdown"), as: UTF8.self) == markdown)
    _ = try await exported("b", "--format", "html-text")
    #expect(!bench.noted.contains("left out"))
  }

  @Test func aRuleMakesTheElements() async throws {
    try await withTemporaryFile(Array("helloworld!".utf8)) { path in
      try await run(ImportTextCommand.self, path, "--document", "a")
    }
    try await run(StyleCommand.self, "a", "--range", "5,5", "--set", "bold")
    let rule = #"{"root":null,"other":null,"styles":[{"tag":"b","attributes":{"bold":true}}]}"#
    try await withTemporaryFile(Array(rule.utf8)) { path in
      try await run(ExportCommand.self, "a", "--format", "xml", "--rule", path)
      #expect(bench.printed.hasSuffix("<p>hello<b>world</b>!</p>"))
      let bytes = try await exported("a", "--format", "xml", "--rule", path)
      try await withTemporaryFile(bytes) { xml in
        try await run(ImportXMLCommand.self, xml, "--document", "b", "--rule", path)
      }
    }
    #expect(try await state("b") == state("a"))
  }

  @Test func repairsAreReported() async throws {
    try await withTemporaryFile(Array(#"["a","b\n"]"#.utf8)) { path in
      try await run(ImportParagraphsCommand.self, path, "--document", "a", "--json")
    }
    #expect(try await harness.units(of: "a") == Array("a\nb".utf16))
    #expect(bench.noted.contains("repaired: paragraph 1: an LF was added at the end"))
    #expect(bench.printed.contains(#""repairs":["paragraph 1: an LF was added at the end""#))
  }

  /// An empty file is an empty text: a document of one empty paragraph.
  @Test func `a file without text is an empty document`() async throws {
    func load<V: Verb>(_ bytes: String, _ verb: V.Type, _ name: String) async throws {
      try await withTemporaryFile(Array(bytes.utf8)) { path in
        try await run(verb, path, "--document", name)
      }
      #expect(try await harness.units(of: name) == [])
      #expect(try await harness.edits(of: name).map(\.origin) == [.load])
    }
    try await load("", ImportTextCommand.self, "text")
    try await load("[]", ImportParagraphsCommand.self, "none")
    try await load(#"["\n"]"#, ImportParagraphsCommand.self, "blank")
    try await load("", ImportMarkdownCommand.self, "markdown")
    try await load("", ImportHTMLCommand.self, "html")
    try await load(#"{"v":1,"text":""}"#, ImportAttributedJSONCommand.self, "json")
    let noted = bench.noted
    #expect(noted.contains("repaired: the list is empty: it is read as one empty paragraph"))
    #expect(noted.contains("repaired: paragraph 1, the last: its terminator was removed"))
    // The same import again is known.
    await #expect(throws: CommandError.self) { try await load("", ImportTextCommand.self, "text") }
  }

  /// Each item of a model is known by the paragraphs that start in it.
  @Test(arguments: [
    (#"[]"#, "[]"), (#"["\n"]"#, #"[["0.0"]]"#),
    (#"["a","b\nc\n","d\r","\n","e"]"#, #"[["0.0"],["1.0","1.1"],["1.2"],[],["1.3"]]"#),
  ])
  func itemsAreMappedToParagraphs(model: String, items: String) async throws {
    try await withTemporaryFile(Array(model.utf8)) { path in
      try await run(ImportParagraphsCommand.self, path, "--document", "a", "--json")
    }
    #expect(bench.printed.contains(#""items":\#(items)"#), "\(bench.printed)")
  }

  @Test func errorsNameThePlace() async throws {
    func error(_ bytes: String, _ import: (String) async throws -> Void) async -> CommandError? {
      var found: CommandError?
      try? await withTemporaryFile(Array(bytes.utf8)) { path in
        do { try await `import`(path) } catch { found = error as? CommandError }
      }
      return found
    }
    let xml = await error("<document>\n<x/></document>") {
      try await run(ImportXMLCommand.self, $0, "--document", "a")
    }
    #expect(xml?.exitCode == 65 && xml?.message.contains("line 2, column 1") == true)
    let json = await error("[\n1,") {
      try await run(ImportParagraphsCommand.self, $0, "--document", "a")
    }
    #expect(json?.message.contains("line 2, column 3") == true)
    #expect(try await harness.units(of: "a") == nil)
    _ = await error("x") { try await run(ImportTextCommand.self, $0, "--document", "a") }
    let exists = await error("y") { try await run(ImportTextCommand.self, $0, "--document", "a") }
    #expect(exists?.message.contains("has a history already") == true)
    await #expect(throws: ProtocolError.self) {
      try await run(ExportCommand.self, "none", "--format", "xml")
    }
    #expect(throws: (any Error).self) {
      try ExportCommand.parse(["a", "--format", "markdown", "--rule", "r"])
    }
  }

  @Test func attributesAreParsed() throws {
    for (argument, name, value) in [
      ("bold", "bold", AttributeValue.bool(true)), ("x=2", "x", .integer(2)),
      ("x=\"2\"", "x", .string("2")), ("x=a b", "x", .string("a b")), ("x=", "x", .string("")),
      ("x=[1]", "x", .list([.integer(1)])), ("=1", "", .integer(1)),
    ] {
      let found = try StyleCommand.attribute(argument)
      #expect(found.name == name && found.value == value, "\(argument)")
    }
    #expect(throws: CommandError.self) { try StyleCommand.attribute("x=null") }
    for arguments in [
      ["a", "--range", "0,1"], ["a", "--range", "0,1", "--set", "b", "--remove", "c"],
    ] {
      #expect(throws: (any Error).self) { try StyleCommand.parse(arguments) }
    }
  }

  /// The error lists the valid values.
  @Test func attributesOfLooksMustMeanSomething() throws {
    for (argument, words) in [
      ("background=notacolour", "--set: background must be #rrggbb, #rgb or one of aqua, black"),
      ("background=notacolour", "; found notacolour"),
      ("foreground=12", "foreground must be #rrggbb"),
      ("foreground", "foreground must be"), ("bold=1", "--set: bold must be true or false"),
      ("heading=99", "--set: heading must be from 1 to 6; found 99"),
      ("heading=0", "from 1 to 6"), ("heading=big", "must be an integer from 1 to 6, or true"),
      ("list-item=1001", "from 1 to 1000"), ("ordered-start=-1", "from 0 to 999999999"),
      ("code-block=1.5", "the name of a language"),
      ("dim=no", "dim must be true or false"), ("background=#12345", "found #12345"),
    ] {
      let error = #expect(throws: CommandError.self) { try StyleCommand.attribute(argument) }
      #expect(
        error.map { "\($0)".contains(words) } ?? false, "\(argument): \(String(describing: error))")
    }
    for argument in [
      "background=navy", "foreground=#1C5A91", "bold=false", "underline", "highlight=pink",
      "mine=no", "heading=6", "heading", "quote=false", "code-block=swift", "ordered-start=0",
    ] {
      #expect(throws: Never.self) { try StyleCommand.attribute(argument) }
    }
  }

  /// All forms of files that can have such values.
  @Test func anImportLeavesOutValuesThatMeanNothingAndSaysSo() async throws {
    let json = #"""
      {"v":1,"text":"abc","attributeRuns":[{"length":1,"attributes":{"heading":99,"mine":99}},
        {"length":2,"attributes":{"heading":7,"foreground":"notacolour","bold":true}}]}
      """#
    let left = try AttributedText(
      "abc",
      runs: [
        AttributeRun(length: 1, attributes: ["mine": .integer(99)]),
        AttributeRun(length: 2, attributes: ["bold": .bool(true)]),
      ])
    func check(_ name: String, _ notes: String...) async throws {
      #expect(try await state(name) == left, "\(name)")
      for note in notes { #expect(bench.noted.contains(note), "\(name): \(bench.noted)") }
    }
    let heading = "heading left out of 3 UTF-16 units: it must be from 1 to 6; found 99"
    let colour = "foreground left out of 2 UTF-16 units: it must be #rrggbb"
    try await withTemporaryFile(Array(json.utf8)) { path in
      try await run(ImportAttributedJSONCommand.self, path, "--document", "json")
    }
    try await check("json", heading, colour)
    let paragraphs = json.replacing(#"{"v":1,"text""#, with: #"[{"text""#) + "]"
    try await withTemporaryFile(Array(paragraphs.utf8)) { path in
      try await run(ImportParagraphsCommand.self, path, "--document", "paragraphs")
    }
    try await check("paragraphs", heading, colour)
    // A form that keeps all values, of a text that was logged before.
    let parsed = try AttributedJSON.text(Array(json.utf8))
    var writer = XMLWriter(.standard)
    let xml = writer.document(of: parsed)
    try await withTemporaryFile(xml) { path in
      try await run(ImportXMLCommand.self, path, "--document", "xml")
    }
    try await check("xml", heading, colour)
  }

  /// Paragraphs of a real range; an edit that changes nothing is not logged.
  @Test func paragraphsAreStyled() async throws {
    try await withTemporaryFile(Array("ab\ncd\n".utf8)) { path in
      try await run(ImportTextCommand.self, path, "--document", "a")
    }
    try await run(StyleCommand.self, "a", "--range", "4,1", "--paragraphs", "--set", "quote=1")
    #expect(try await state("a").runs.map(\.length) == [3, 3])
    try await run(StyleCommand.self, "a", "--range", "3,3", "--set", "quote=1", "--only")
    #expect(bench.noted.contains("nothing was changed"))
    #expect(try await harness.edits(of: "a").count == 2)
  }

  /// A page and a picture of a version hold the pictures of its attachments.
  @Test func picturesAreRendered() async throws {
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    try await withTemporaryFile(Array("ab".utf8)) { path in
      try await run(ImportTextCommand.self, path, "--document", "a")
    }
    for content in [png, Array("text".utf8)] {
      try await withTemporaryFile(content) {
        try await run(AttachCommand.self, "a", $0, "--size", "6x2")
      }
    }
    for format in ["html", "svg"] {
      let before = bench.printed.count
      try await run(RenderCommand.self, "a", "--format", format)
      let parts = bench.printed.dropFirst(before).split(
        separator: "data:image/png;base64,iVBORw0KGgoBAgM=")
      #expect(parts.count == 2, "\(format)")
    }
  }

  /// Without options the bytes tell type and size; options count more.
  @Test func attachmentsAreWhatTheirBytesSay() async throws {
    var gif = Array("GIF89a".utf8)
    gif += [180, 0, 100, 0]
    try await withTemporaryFile([]) { path in
      try await run(ImportTextCommand.self, path, "--document", "a")
    }
    for options in [[], ["--size", "3x4"], ["--type", "mine/own"]] {
      try await withTemporaryFile(gif) { path in
        try await AttachCommand.parse(["a", path] + options).run(in: bench.session)
      }
    }
    let found = try await state("a").runs.compactMap { Attachment($0.attributes) }
    #expect(found.map(\.type) == ["image/gif", "image/gif", "mine/own"])
    #expect(found.map(\.columns) == [20, 3, 20] && found.map(\.rows) == [5, 4, 5])
  }

  /// `attach` puts a character with the digest into the text; `attachment` writes the same bytes.
  @Test func anAttachmentComesBack() async throws {
    let content: [UInt8] = [0x1F, 0x8B, 0, 0xFF] + Array("not really gzip".utf8)
    try await withTemporaryFile(Array("ab".utf8)) { path in
      try await run(ImportTextCommand.self, path, "--document", "a")
    }
    try await withTemporaryFile(content) { path in
      try await run(
        AttachCommand.self, "a", path, "--offset", "1", "--type", "image/png", "--size", "4x2")
      try await run(AttachCommand.self, "a", path)
    }
    let text = try await state("a")
    #expect(text.text.units == [0x61, 0xFFFC, 0x62, 0xFFFC])
    #expect(text.contents.count == 4)
    guard case .map(let map)? = text.runs[1].attributes["attachment"],
      case .string(let digest)? = map["digest"]
    else { return #expect(Bool(false), "no digest") }
    #expect(map["bytes"] == .integer(Int64(content.count)) && map["name"] == .string("file"))
    #expect(map["type"] == .string("image/png"))
    #expect(map["columns"] == .integer(4) && map["rows"] == .integer(2))
    try await run(AttachmentCommand.self, "a", "--json")
    // Twice in the text, once in the store.
    #expect(
      bench.printed.hasSuffix(
        """
        {"v":1,"digest":"\(digest)","bytes":\(content.count),"name":"file","type":"image/png",\
        "offset":1,"places":[{"offset":1,"name":"file","type":"image/png"},{"offset":3,"name":"file","type":"application/gzip"}],\
        "placeCount":2}

        """))
    // A row for each place.
    try await run(AttachmentCommand.self, "a")
    let rows = bench.printed.split(separator: "\n").suffix(2)
    #expect(rows.first?.contains("image/png") == true)
    #expect(rows.first?.hasSuffix("  1  \(digest)") == true)
    #expect(rows.last?.hasSuffix("  3  \(digest)") == true)
    #expect(rows.last?.contains("image/png") == false)
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.path("out")
    try await run(AttachmentCommand.self, "a", "--digest", digest, "--output", path)
    #expect(try DiskFile.bytes(path) == content)
    // The first digits are enough, in upper case too.
    let short = folder.path("short")
    try await run(
      AttachmentCommand.self, "a", "--digest", digest.prefix(5).uppercased(), "--output", short)
    #expect(try DiskFile.bytes(short) == content)
    await #expect(throws: ProtocolError.self) {
      try await run(
        AttachmentCommand.self, "a", "--digest", String(repeating: "0", count: 64))
    }
    await #expect(throws: CommandError.self) {
      try await run(AttachmentCommand.self, "a", "--digest", "zz")
    }
    // No attachment begins so; two do.
    let other = digest.first == "0" ? "1" : "0"
    await #expect(throws: CommandError.self) {
      try await run(AttachmentCommand.self, "a", "--digest", other)
    }
    for byte in 0..<16 as Range<UInt8> {
      try await withTemporaryFile([byte]) { try await run(AttachCommand.self, "a", $0) }
    }
    // Exports of the whole history say that the bytes are left out.
    for format in ["jsonl", "html"] {
      let file = folder.path("history.\(format)")
      try await run(ExportCommand.self, "a", "--format", format, "--output", file)
      #expect(bench.noted.contains("editlog: attachments whose bytes are not in the file: 18\n"))
    }
    // Of 17 digests, two begin with the same digit.
    var messages: [String] = []
    for digit in "0123456789abcdef" {
      do {
        try await run(AttachmentCommand.self, "a", "--digest", "\(digit)")
      } catch let error as CommandError { messages.append(error.message) }
    }
    #expect(messages.contains { $0.contains("attachments of a begin with") })
    try await withTemporaryFile(Array("b".utf8)) { path in
      try await run(ImportTextCommand.self, path, "--document", "b")
    }
    try await run(AttachmentCommand.self, "b")
    #expect(bench.noted.hasSuffix("No bytes of attachments are stored for b.\n"))
    await #expect(throws: CommandError.self) {
      try await withTemporaryFile(content) { path in
        try await run(AttachCommand.self, "a", path, "--offset", "99")
      }
    }
    for size in ["0x1", "1", "ax2", "10001x1", "1x257"] {
      #expect(throws: (any Error).self) { try AttachCommand.parse(["a", "f", "--size", size]) }
    }
  }
}
