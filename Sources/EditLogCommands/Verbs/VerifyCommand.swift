import ArgumentParser
import EditProtocol

struct VerifyCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check every byte of the store, and say what is not as it was written.",
    discussion: """
      Reads only. Exit status: 0 sound; 1 torn: a write was cut short before it was acknowledged, \
      and nothing acknowledged is missing; 2 damaged, and repaired; 3 damaged; 4 not permitted \
      to read it.
      """)

  @OptionGroup var common: CommonOptions

  func run(in session: Session) async throws {
    let result: JSONObject
    do {
      result = try await session.backend.call("editlog/verify", [:]).asObject()
    } catch let error as ProtocolError where error.code == .notPermitted {
      throw CommandError(exitCode: 4, error.message)
    }
    let status = try Self.status(result)
    if common.json { try session.printJSON(result) } else { try print(result, status, session) }
    if status != 0 { throw ExitCode(status) }
  }

  /// The exit status: that of the worst finding.
  static func status(_ result: JSONObject) throws(ShapeError) -> Int32 {
    let findings = try findings(result).map(\.status)
    let isSound = try result.read("sound") { (json) throws(ShapeError) in try json.asBool() }
    if let worst = findings.max() { return worst }
    return isSound ? 0 : 3
  }

  private func print(_ result: JSONObject, _ status: Int32, _ session: Session) throws {
    for finding in try Self.findings(result) {
      let kind = session.style.paint(finding.kind, finding.status == 1 ? .warning : .bad)
      try session.output.writeLine("\(finding.place): \(kind): \(finding.what)")
    }
    let verdicts: [Int32: (String, Style.Role)] = [
      0: ("sound", .good), 1: ("torn, nothing acknowledged is missing", .warning),
      2: ("damaged and repaired", .warning),
    ]
    let (verdict, role) = verdicts[status] ?? ("damaged", .bad)
    let counts = try ["blocks", "batches", "edits"].compactMap { name in
      try result.integerIfPresent(name).map { "\(Numbers.grouped($0)) \(name)" }
    }
    let head = session.style.paint(verdict, role)
    let tail = counts.isEmpty ? "" : ": " + counts.joined(separator: ", ") + " checked"
    try session.output.writeLine(head + tail)
  }

  private static func findings(_ result: JSONObject) throws(ShapeError) -> [Finding] {
    guard result["findings"] != nil else { return [] }
    return try result.array("findings") { (json) throws(ShapeError) in try Finding(json) }
  }
}

/// Something in a store that is not as it was written.
private struct Finding {
  let place: String
  let kind: String
  let what: String

  init(_ json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    let offset = try object.unsignedIfPresent("offset").map { ", byte \($0)" } ?? ""
    place = Excerpt.line(try object.string("file"), width: nil) + offset
    kind = Excerpt.line(try object.string("kind"), width: nil)
    what = Excerpt.line(try object.string("what"), width: nil)
  }

  var status: Int32 {
    switch kind {
    case "torn": 1
    case "repaired": 2
    default: 3
    }
  }
}
