import ArgumentParser
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@testable import EditLogCommands

/// Imports that end before all is sent.
@Suite struct InterruptedImportTests {
  private let harness: StoreHarness
  private let bench: Bench

  init() async throws {
    harness = try await StoreHarness()
    bench = Bench(harness)
  }

  private static func trace(_ count: Int, broken: Bool = false) -> [UInt8] {
    let transactions = (0..<count).map { "{\"patches\":[[\($0),0,\"x\"],[0,1,\"y\"]]}" }
    let bad = broken ? [#"{"patches":[[99999,0,"z"]]}"#] : []
    return Array("{\"txns\":[\((transactions + bad).joined(separator: ","))]}".utf8)
  }

  private func importTrace(_ bytes: [UInt8], _ arguments: String...) async throws {
    try await withTemporaryFile(bytes) { path in
      try await ImportTraceCommand.parse([path, "--document", "d"] + arguments)
        .run(in: bench.session)
    }
  }

  private func insertion(_ text: String) -> AppendEdit {
    AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
  }

  /// All of an import that is not large is one request.
  @Test func aSmallImportIsAllOrNothing() async throws {
    let error = await #expect(throws: CommandError.self) {
      try await importTrace(Self.trace(2_000, broken: true), "--keep")
    }
    #expect(error?.message.contains("the first") == false)
    #expect(try await harness.units(of: "d") == nil)
    try await importTrace(Self.trace(2_000))
    #expect(harness.requests.count == 1 && harness.requests[0].edits.count == 4_000)
    #expect(Set(try await harness.edits(of: "d").map(\.transaction)).count == 2_000)
  }

  @Test func aLargeImportGoesOn() async throws {
    let error = await #expect(throws: CommandError.self) {
      try await importTrace(Self.trace(50, broken: true), "--batch-edits", "8", "--keep")
    }
    #expect(error?.message.contains("the first 96 edits are in d") == true)
    let part = try await harness.edits(of: "d")
    #expect(part.count == 96)
    try await importTrace(Self.trace(60), "--batch-edits", "8", "--json")
    #expect(bench.noted.contains("The first 96 edits were in the document already."))
    #expect(bench.printed.contains(#""edits":120,"transactions":60"#))
    let all = try await harness.edits(of: "d")
    #expect(Array(all.prefix(96)) == part && all.count == 120)
    #expect(try await harness.units(of: "d")?.count == 60)
    // Nothing is sent a third time, and what is there is not removed.
    let again = await #expect(throws: CommandError.self) { try await importTrace(Self.trace(60)) }
    #expect(again?.message.contains("all edits of this import are in it") == true)
    #expect(try await harness.edits(of: "d") == all)
  }

  /// A document with other edits is neither changed nor removed.
  @Test func otherEditsAreNotTakenForAPart() async throws {
    _ = try await harness.perform(AppendRequest(document: document("d"), edits: [insertion("x")]))
    _ = try await harness.perform(AppendRequest(document: document("d"), edits: [insertion("z")]))
    let before = try await harness.edits(of: "d")
    for arguments in [[], ["--batch-edits", "1"]] {
      let error = await #expect(throws: CommandError.self) {
        try await withTemporaryFile(Self.trace(5)) { path in
          try await ImportTraceCommand.parse([path, "--document", "d"] + arguments)
            .run(in: bench.session)
        }
      }
      #expect(error?.message.contains("is not the beginning of this import") == true)
      #expect(error?.exitCode == 65)
    }
    let error = await #expect(throws: CommandError.self) {
      try await withTemporaryFile(Array("zx and more".utf8)) { path in
        try await ImportTextCommand.parse([path, "--document", "d"]).run(in: bench.session)
      }
    }
    #expect(error?.message.contains("is not the beginning of this import") == true)
    #expect(try await harness.edits(of: "d") == before)
  }

  /// The parts of a file that is too large for one request.
  @Test func theRestOfAFileIsLoaded() async throws {
    let actions = ["one ", "two ", "three"].reduce(into: [EditAction]()) { actions, text in
      let end = actions.reduce(0) { $0 + $1.newLength }
      actions.append(EditAction(replacing: UTF16Range(end..<end), with: UTF16Text(text)))
    }
    for count in 0..<3 {
      let name = "d\(count)"
      for action in actions.prefix(count) {
        _ = try await harness.perform(
          AppendRequest(
            document: document(name), origin: .load, edits: [AppendEdit(action: action)]))
      }
      let target = try await bench.session.targetForImport(name)
      #expect(target.exists == (count > 0))
      #expect(try await bench.session.load(actions, into: target, by: nil) == 3)
      #expect(try await harness.edits(of: name).map(\.action) == actions)
      let whole = try await bench.session.targetForImport(name)
      await #expect(throws: CommandError.self) {
        try await bench.session.load(actions, into: whole, by: nil)
      }
    }
  }
}

/// `style --set`: the error names the attribute.
@Suite struct StyleArgumentTests {
  @Test(arguments: [
    (#"a={"size":[1,null]}"#, "a.size[1] must be an attribute value, but is null"),
    (#"a=[[true,null]]"#, "a[0][1] must be"), (#"a={"b":{"c":null}}"#, "a.b.c must be"),
    (#"a={"$map":{"x":null}}"#, "a.$map.x must be"), ("a=null", "a must be an attribute value"),
    (#"a={"$bytes":3}"#, "a.$bytes must be"),
  ])
  func theAttributeIsNamed(argument: String, words: String) {
    let error = #expect(throws: CommandError.self) { try StyleCommand.attribute(argument) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
