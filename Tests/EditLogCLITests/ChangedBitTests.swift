import ArgumentParser
import EditLog
import EditModel
import EditProtocol
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

/// A bit of a journal changes: the command line shows what it showed before, or says that it does
/// not, whether or not a writer was there in between.
@Suite struct ChangedBitTests {
  /// A store whose writer was killed after its last batch was confirmed, with one edit a batch.
  private func makeStore(_ path: String) throws {
    let writer = try StoreWriter(at: path, random: SeededBytes(seed: 1))
    for sequence in 1...SequenceNumber(6) {
      let document = try #require(DocumentID(sequence % 3 == 0 ? "b" : "a"))
      let edit = Edit(
        sequence: (try writer.lastSequence(of: document) ?? 0) + 1,
        action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text("text \(sequence).")),
        time: Timestamp(nanoseconds: Int64(sequence)))
      _ = try writer.append([(document, [.edit(edit)])])
    }
    try writer.confirm()
  }

  private func show(_ verb: [String], _ path: String) async throws -> (text: String, isTold: Bool) {
    let bench = Bench(try await makeStoreBackend(path: path))
    do {
      switch verb[0] {
      case "show": try await ShowCommand.parse(Array(verb[1...])).run(in: bench.session)
      default: try await LogCommand.parse(Array(verb[1...])).run(in: bench.session)
      }
    } catch is ProtocolError {
      return (bench.printed, true)
    }
    return (bench.printed, !bench.noted.isEmpty)
  }

  @Test func `nothing is shortened silently`() async throws {
    let folder = TemporaryFolder()
    let (sound, changed) = (folder.path("sound"), folder.path("changed"))
    try makeStore(sound)
    let journal = "/journal/00000000000000000001.journal"
    let bytes = try readFile(sound + journal)
    let size = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    let verbs = [["show", "a"], ["show", "b"], ["log", "a"], ["log", "b"]]
    var expected: [String] = []
    for verb in verbs { expected.append(try await show(verb, sound).text) }
    #expect(expected[0] == "text 5.text 4.text 2.text 1.")
    func check(_ path: String, _ bit: Int) async throws {
      for (verb, text) in zip(verbs, expected) {
        let found = try await show(verb, path)
        #expect(found.text == text || found.isTold, "bit \(bit), \(verb)")
      }
    }
    for bit in stride(from: 0, to: 8 * size, by: 61) {
      let byte = bytes[bit / 8] ^ 1 << UInt8(bit % 8)
      if bit % 7 == 0 {
        try await run("rm", ["-rf", changed])
        try await run("cp", ["-rp", sound, changed])
        try writeByte(changed + journal, at: bit / 8, byte)
        try StoreWriter(at: changed, random: SeededBytes(seed: 2)).close()
        try await check(changed, bit)
      }
      try writeByte(sound + journal, at: bit / 8, byte)
      try await check(sound, bit)
      try writeByte(sound + journal, at: bit / 8, bytes[bit / 8])
    }
  }

  private func readFile(_ path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(file, &bytes, bytes.count)
    guard count > 0 else { throw CreateError(code: errno) }
    return Array(bytes[..<count])
  }

  private func writeByte(_ path: String, at offset: Int, _ byte: UInt8) throws {
    let file = open(path, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    guard withUnsafeBytes(of: byte, { pwrite(file, $0.baseAddress, 1, offset) }) == 1 else {
      throw CreateError(code: errno)
    }
  }
}
