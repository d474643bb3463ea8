import ArgumentParser
import EditJSON
import EditLog
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

/// The verbs about a store as a whole: what they ask, print, and end with.
@Suite struct StoreVerbTests {
  private static let hex = String(repeating: "0a", count: 32)

  private func run(
    _ verb: (some Verb).Type, _ arguments: [String], _ backend: any Backend
  ) async throws -> (bench: Bench, exitCode: Int32) {
    let bench = Bench(backend)
    do {
      try await verb.parse(arguments).run(in: bench.session)
      return (bench, 0)
    } catch let code as ExitCode {
      return (bench, code.rawValue)
    } catch let error as CommandError {
      return (bench, error.exitCode)
    }
  }

  // MARK: forget

  private func forgetting() throws -> CannedBackend {
    CannedBackend(
      ForgetAnswer(
        document: try #require(DocumentID("essay")), editCount: 1234, eventCount: 5, fileCount: 3,
        size: 2048, journalCount: 2, sealedDocumentCount: 1, erased: ["quarantine/1.torn"],
        unreadableSize: 77),
      LogPreviewAnswer(entries: []))
  }

  private func forget(
    _ arguments: [String], isAsked: Bool, typing text: String = ""
  ) async throws -> (bench: Bench, backend: CannedBackend, exitCode: Int32) {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let bytes = Array(text.utf8)
    #expect(write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    defer { close(ends[0]) }
    let backend = try forgetting()
    let bench = Bench(backend)
    do {
      try await ForgetCommand.parse(arguments).run(
        in: bench.session, isAsked: isAsked, input: LineReader(descriptor: ends[0], sizeMax: 99))
      return (bench, backend, 0)
    } catch let error as CommandError {
      return (bench, backend, error.exitCode)
    } catch let error as ProtocolError {
      return (bench, backend, error.code.exitStatus)
    }
  }

  /// D17: `documents` says how a document is forgotten that no argument can name.
  @Test func `a document is forgotten by its number`() async throws {
    try await withTemporaryDirectory { directory in
      let writer = try StoreWriter(at: directory + "/store")
      for name in ["a\0b", "other"] {
        let action = EditAction(replacing: UTF16Range(0..<0), with: "x")
        let id = try #require(DocumentID(name))
        _ = try writer.append([(id, [.edit(Edit(sequence: 1, action: action))])])
      }
      try writer.close()
      let backend = try await makeStoreBackend(path: directory + "/store")
      let listing = Bench(backend)
      try await DocumentsCommand.parse([]).run(in: listing.session)
      #expect(listing.noted.contains("`editlog forget --number 1` removes it"))
      let forgetting = Bench(backend)
      try await ForgetCommand.parse(["--number", "1", "--yes"]).run(in: forgetting.session)
      #expect(forgetting.printed.contains(#"forgotten:  "a\000b""#))
      let error = await #expect(throws: ProtocolError.self) {
        try await ForgetCommand.parse(["--number", "1", "--yes"]).run(in: forgetting.session)
      }
      #expect(error?.code == .unknownDocument)
      for arguments in [[], ["--number", "1", "name"]] {
        #expect(throws: (any Error).self) { try ForgetCommand.parse(arguments) }
      }
      await backend.close()
    }
  }

  @Test func `forgetting prints a receipt`() async throws {
    let (bench, backend, code) = try await forget(["essay", "--yes"], isAsked: false)
    #expect(code == 0 && backend.calls.last == #"editlog/forget {"document":"essay"}"#)
    let lines = [
      "              forgotten:  essay", "                  edits:  1,234",
      "                 events:  5", "          files removed:  3, 2.0 KiB",
      "      journals replaced:  2", "       documents sealed:  1",
      "              erased in:  quarantine/1.torn", "unreadable bytes erased:  77",
    ]
    #expect(bench.printed == lines.map { $0 + "\n" }.joined())
    let (_, bounded, _) = try await forget(["essay", "--yes", "--up-to", "1"], isAsked: false)
    #expect(bounded.calls.last == #"editlog/forget {"document":"essay","upTo":1}"#)
    let (json, _, _) = try await forget(["essay", "--yes", "--json"], isAsked: false)
    #expect(json.printed.hasPrefix(#"{"v":1,"document":"essay","edits":1234"#))
  }

  private static let agreements: [([String], Bool, String, Int32, Bool)] = [
    (["essay"], false, "", 64, false), (["essay"], true, "essay\n", 0, true),
    (["essay"], true, "esay\n", 64, false), (["essay"], true, "", 64, false),
    (["other", "--yes"], false, "", 66, false), (["other"], true, "other\n", 66, false),
  ]

  @Test(arguments: agreements)
  func `forgetting is agreed to`(
    arguments: [String], isAsked: Bool, text: String, exitCode: Int32, isDone: Bool
  ) async throws {
    let (bench, backend, code) = try await forget(arguments, isAsked: isAsked, typing: text)
    #expect(code == exitCode)
    #expect(backend.calls.contains { $0.hasPrefix("editlog/forget") } == isDone)
    #expect(bench.printed.isEmpty != isDone)
  }

  // MARK: verify

  private static let verdicts: [([Finding.Kind], Int32)] = [
    ([], 0), ([.torn], 1), ([.torn, .repairable], 2), ([.repaired], 2),
    ([.refused, .repairable], 4), ([.refused, .damaged], 3), ([.rewritten], 3), ([.lost], 3),
    ([.unknown], 2),
  ]

  @Test(arguments: verdicts)
  func `verify ends with the worst finding`(kinds: [Finding.Kind], status: Int32) async throws {
    for arguments in [[], ["-q"], ["--json"]] {
      let (bench, code) = try await run(
        VerifyCommand.self, arguments, CannedBackend(VerifyAnswer(kinds, isSound: kinds.isEmpty)))
      #expect(code == status)
      #expect(bench.printed.isEmpty == (arguments == ["-q"]))
    }
  }

  @Test func `findings say where, what and what to do`() async throws {
    let (bench, _) = try await run(
      VerifyCommand.self, [], CannedBackend(VerifyAnswer([.repairable], isSound: false)))
    #expect(
      bench.printed == """
        f, byte 7: repairable: w (edits 3 to 9)
          to do: d
        damaged and repaired or repairable; no edit is known to be missing: 3 documents, 12 edits, 0 events checked

        """)
  }

  @Test(arguments: [
    (ProtocolError.Code.damagedLog, 3 as Int32), (.notPermitted, 4),
  ])
  func `a store that cannot be checked`(code: ProtocolError.Code, status: Int32) async throws {
    let backend = CannedBackend(failing: ProtocolError(code, "no"))
    #expect(try await run(VerifyCommand.self, [], backend).exitCode == status)
    #expect(try await run(RepairCommand.self, [], backend).exitCode == status)
  }

  @Test func `a folder without its format file is damaged`() async throws {
    let folder = TemporaryFolder()
    #expect(mkdir(folder.path("documents"), 0o700) == 0)
    let backend = try await makeStoreBackend(path: folder.path(""))
    #expect(try await run(VerifyCommand.self, [], backend).exitCode == 3)
    let none = try await makeStoreBackend(path: folder.path("none"))
    let error = await #expect(throws: ProtocolError.self) {
      try await run(VerifyCommand.self, [], none)
    }
    #expect(error?.code == .unknownDocument)
  }

  @Test func `heads come from options and from files`() async throws {
    let backend = CannedBackend(VerifyAnswer([]))
    _ = try await run(VerifyCommand.self, ["--head", "a@b:c@12:\(Self.hex)"], backend)
    #expect(backend.calls == [#"editlog/verify {"heads":["a@b:c@12:\#(Self.hex)"]}"#])
    let lines = """
      a@1:\(Self.hex)

      {"v":1,"line":1,"sequence":2,"head":"b@2:\(Self.hex)"}
      {"v":1,"line":2,"sequence":2}
      {"v":1,"documents":1,"heads":["c@3:\(Self.hex)"]}
      """
    let heads = try VerifyCommand.heads(inLines: Array(lines.utf8), of: "f")
    #expect(heads.map(\.description) == ["a@1:\(Self.hex)", "b@2:\(Self.hex)", "c@3:\(Self.hex)"])
    for bad in ["a@1", "a@x:\(Self.hex)", "@1:\(Self.hex)", "a@1:00", "{"] {
      #expect(throws: CommandError.self) {
        try VerifyCommand.heads(inLines: Array(bad.utf8), of: "f")
      }
      #expect(try await run(VerifyCommand.self, ["--head", bad], backend).exitCode == 64)
    }
  }

  // MARK: repair, du, status

  /// What is printed if a finding is left that a person has to decide about.
  private static func undecided(_ kind: String) -> String {
    """
    f, byte 7: \(kind): w (edits 3 to 9)
      to do: d
    no repair is left to do; decide about the findings above

    """
  }

  private static let step = RepairStep(file: "f", what: "w")
  private static let outcomes: [([RepairStep], [String], [Finding.Kind], Int32, String)] = [
    ([], [], [], 0, "nothing to do\n"),
    (
      [], ["1.torn"], [.torn], 1,
      "quarantine/1.torn: moved to quarantine\ndone, and nothing is left\n"
    ),
    ([step], [], [.repaired], 2, "f: w\n" + undecided("repaired")),
    ([], [], [.unknown], 0, undecided("unknown")),
    (
      [step], [], [.damaged], 3,
      """
      f: w
      f, byte 7: damaged: w (edits 3 to 9)
        to do: d
      something is left that cannot be repaired

      """
    ),
  ]

  @Test(arguments: outcomes)
  func `repair says what was done and what is left`(
    repairs: [RepairStep], aside: [String], left: [Finding.Kind], status: Int32, text: String
  ) async throws {
    let backend = CannedBackend(
      RepairAnswer(
        isDryRun: false, repairs: repairs,
        recovery: ShownRecovery(
          tornSize: aside.isEmpty ? 0 : 12, madeAnew: [], quarantined: aside, forgottenCount: 0),
        findings: VerifyAnswer(left).findings))
    let (bench, code) = try await run(RepairCommand.self, [], backend)
    #expect(code == status && bench.printed == text)
    #expect(backend.calls == [#"editlog/repair {"dryRun":false}"#])
  }

  @Test func `a dry run says what would be`() async throws {
    let backend = CannedBackend(
      VerifyAnswer([.repairable], isSound: false),
      RepairAnswer(
        isDryRun: true, repairs: [Self.step],
        opening: [RepairStep(file: "journal/1", what: "torn")]))
    let (bench, code) = try await run(RepairCommand.self, ["--dry-run"], backend)
    #expect(code == 2)
    #expect(bench.printed == "journal/1: torn\nf: w\nthis would be done\n")
    #expect(backend.calls.first == #"editlog/repair {"dryRun":true}"#)
  }

  @Test func usage() async throws {
    let document = try #require(DocumentID("essay"))
    let backend = CannedBackend(
      UsageAnswer(
        documents: [
          ShownUsage(
            document: document, size: 4096, editCount: 1024, blocks: 2048, footers: 512,
            parity: 512, checkpoints: 0, journal: 1024, name: 0, other: 0, bytesPerEdit: 4,
            ages: .init(day: 1024, older: 2048))
        ],
        totals: .init(
          size: 10_240, journals: 4096, journalOverhead: 3072, overhead: 2048, quarantine: 1024)))
    let (bench, _) = try await run(UsageCommand.self, [], backend)
    let lines = bench.printed.split(separator: "\n")
    #expect(lines.count == 7)
    #expect(lines[0].split(separator: " ").first == "DISK" && lines[0].hasSuffix("DOCUMENT"))
    #expect(lines[1].hasSuffix("1,024    4.00  essay"))
    #expect(lines[2].hasSuffix("all:  10.0 KiB"))
  }

  @Test(arguments: [
    ([] as [String], 0, "none known"), ([], 1, "there are files in quarantine"),
    (["a journal"], 1, "found"),
  ])
  func `status knows no more than it read`(
    damage: [String], quarantined: Int, text: String
  ) async throws {
    let backend = CannedBackend(StatusAnswer(damage: damage, quarantinedCount: quarantined))
    let (bench, _) = try await run(StatusCommand.self, [], backend)
    #expect(bench.printed.contains("damage:  \(text)"))
    #expect(backend.calls == ["editlog/status {}"])
  }
}
