import EditLog
import EditModel
import EditProtocol
import Glibc

extension QueryEngine {
  /// What a check of every byte finds, and whether the histories still confirm each of `heads`.
  ///
  /// `kind` of a finding is `damaged` where bytes that were once whole have changed or are
  /// missing, `repairable` if they can be rebuilt, `repaired` if they were, `rewritten` if
  /// a head is not confirmed, `unknown` for a file that is no part of a store, `refused` if
  /// something may not be read, `torn` if a write was cut short before it was confirmed, `newer`
  /// if a newer version wrote a file, `lost` if something acknowledged is known to be gone,
  /// `accepted` if a person accepted that.
  func verify(_ params: JSON) async throws(ProtocolError) -> JSON {
    let acknowledged = try Self.heads(params)
    let report = try await source.verify()
    let damages = report.damages.sorted { $0.key.name < $1.key.name }
      .flatMap { document, damages in
        damages.map { Self.finding($0, document, report.quarantined) }
      }
    let tornEnds = report.tornEnds.map(Self.finding)
    let losses = report.losses.map(Self.finding)
    // What a journal in it stands for is among the losses.
    let quarantined = report.quarantined.filter { !report.listsLosses || !$0.hasSuffix(".journal") }
    var findings =
      report.problems.map(Self.finding) + report.badCheckpoints.map(Self.checkpointFinding)
      + damages + losses + tornEnds + quarantined.map(Self.finding)
      + report.unknownFiles.map(Self.unknownFinding)
    var confirmedCount = 0
    for head in acknowledged {
      let finding = try await confirm(head, isProven: !report.unproven.contains(head.document))
      findings += finding.map { [$0] } ?? []
      confirmedCount += finding == nil ? 1 : 0
    }
    let heads = report.heads.sorted { $0.key.name < $1.key.name }.map { document, place in
      Self.head(document, place.sequence, place.head)
    }
    return [
      "sound": .bool(findings.allSatisfy { Self.soundKinds.contains($0["kind"] ?? .null) }),
      "documents": JSON(report.documentCount), "edits": JSON(report.editCount),
      "events": JSON(report.eventCount), "badCheckpoints": JSON(report.badCheckpoints.count),
      "confirmed": JSON(confirmedCount), "findings": .array(findings), "heads": .array(heads),
    ]
  }

  /// Kinds of findings by which nothing acknowledged is missing, or only what was accepted.
  private static let soundKinds: [JSON] = ["torn", "repaired", "accepted"]

  private static func heads(_ params: JSON) throws(ProtocolError) -> [AcknowledgedHead] {
    guard let member = params["heads"], member != .null else { return [] }
    do throws(ShapeError) {
      return try member.asArray { (json) throws(ShapeError) in
        guard let head = AcknowledgedHead(try json.asString().description) else {
          throw ShapeError("heads", mustBe: "written DOCUMENT@SEQUENCE:HEX", found: json)
        }
        return head
      }
    } catch { throw ProtocolError(error.within("params")) }
  }

  /// The finding that a history does not confirm a head; nil where it does.
  private func confirm(
    _ head: AcknowledgedHead, isProven: Bool
  ) async throws(ProtocolError) -> JSON? {
    var (file, what) = ("documents", "there is no such document")
    do {
      if let history = try await source.history(of: head.document) {
        file = history.file(of: head.sequence)
        if let value = ChainHead(bytes: head.head.bytes),
          try history.confirms(value, at: head.sequence)
        {
          if isProven { return nil }
          return Self.unproven(head, file)
        }
        what = "it ends with edit \(history.lastSequence)"
      }
    } catch {
      let error = ProtocolError(reading: error)
      guard error.code == .damagedLog, case .string(let file)? = error.details["file"] else {
        throw error
      }
      return [
        "kind": "damaged", "document": JSON(head.document.name),
        "file": JSON(below(file.description)), "offset": error.details["offset"] ?? 0,
        "what": JSON(
          "whether edit \(head.sequence) is the acknowledged one cannot be told: \(error)"),
        "do": "put the damaged file back from a copy of the store, and ask again",
      ]
    }
    return [
      "kind": "rewritten", "document": JSON(head.document.name), "file": JSON(below(file)),
      "what": JSON(
        "history shrank or was rewritten: edit \(head.sequence) was acknowledged with another; \(what)"
      ),
      "do": "look for a copy of the store that confirms the head",
    ]
  }

  /// The link that the head is in agrees, and entries before it do not agree with theirs.
  private static func unproven(_ head: AcknowledgedHead, _ file: String) -> JSON {
    [
      "kind": "damaged", "document": JSON(head.document.name), "file": JSON(file),
      "what": JSON(
        "the head of edit \(head.sequence) is not confirmed: entries do not agree with the hash chain"
      ),
      "do": "look for a copy of the store that confirms the head",
    ]
  }

  private static func checkpointFinding(_ problem: VerificationReport.Problem) -> JSON {
    guard case .object(var finding) = Self.finding(problem) else { return .null }
    finding["do"] = "`editlog repair` removes it, or editlogd after it started; nothing is lost"
    return .object(finding)
  }

  private static func unknownFinding(_ path: String) -> JSON {
    [
      "kind": "unknown", "file": JSON(path), "what": "no part of a store has this name",
      "do": "move it away; nothing reads it",
    ]
  }

  /// A file's path from the store's folder on.
  private func below(_ file: String) -> String {
    let folder = source.path + "/"
    guard file.hasPrefix(folder) else { return file }
    return String(decoding: file.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
  }

  private static func finding(_ problem: VerificationReport.Problem) -> JSON {
    var finding: JSONObject = ["kind": "damaged"]
    if problem.isRepairable { finding["kind"] = "repairable" }
    finding["document"] = problem.document.map { JSON($0.name) }
    switch problem.error {
    case .damaged(let file, let offset, let what):
      (finding["file"], finding["offset"], finding["what"]) = (JSON(file), JSON(offset), JSON(what))
    case .refused(let path, let what):
      (finding["file"], finding["what"], finding["kind"]) = (JSON(path), JSON(what), "refused")
    case let error:
      (finding["file"], finding["what"]) = (JSON(error.path), JSON("\(error)"))
      if error.isDenied { finding["kind"] = "refused" }
      if case .newerFormat = error { finding["kind"] = "newer" }
    }
    finding["firstEdit"] = problem.edits.map { JSON($0.lowerBound) }
    finding["lastEdit"] = problem.edits.map { JSON($0.upperBound) }
    switch finding["kind"] {
    case "repairable": finding["do"] = "`editlog repair` writes it anew"
    case "refused": finding["do"] = "check the file's kind, owner and permissions"
    case "newer": finding["do"] = "upgrade EditLog"
    default:
      finding["do"] = JSON(acceptance)
    }
    return .object(finding)
  }

  private static func finding(_ loss: StoreLoss) -> JSON {
    var finding: JSONObject = ["file": JSON(loss.file), "what": JSON(loss.what)]
    if let time = loss.acceptedTime {
      (finding["kind"], finding["accepted"]) = ("accepted", JSON(time.rfc3339))
    } else {
      finding["kind"] = loss.kind == .entries ? "lost" : "repaired"
      finding["do"] = JSON(acceptance)
    }
    return .object(finding)
  }

  private static let acceptance =
    "put what is missing back from a copy, or accept it with `editlog repair --accept-loss`"

  private static func finding(
    _ damage: HistoryDamage, _ document: DocumentID, _ quarantined: [String]
  ) -> JSON {
    var what = "\(document.shown) lacks \(damage.missing) after edit \(damage.after)"
    if damage.unreachableEntries > 0 {
      what += """
        : \(damage.lostEntries) lost, and \(damage.unreachableEntries) that do not go on from there, \
        kept in quarantine
        """
    }
    var finding: JSONObject = [
      "kind": damage.isAccepted ? "accepted" : "lost", "document": JSON(document.name),
      "file": JSON(damage.file(quarantined: quarantined)), "what": JSON(what),
    ]
    if !damage.isAccepted { finding["do"] = JSON(acceptance) }
    return .object(finding)
  }

  private static func finding(_ torn: (file: String, offset: Int, size: Int)) -> JSON {
    [
      "kind": "torn", "file": JSON(torn.file), "offset": JSON(torn.offset),
      "what": JSON("\(torn.size) bytes of a write that was cut short before it was confirmed"),
      "do": "`editlog repair`, or a start of editlogd, puts them aside",
    ]
  }

  /// What was put aside: a write that was not confirmed, a segment as it was before it was
  /// mended, or a journal that was damaged.
  private static func finding(_ quarantined: String) -> JSON {
    let (kind, what) =
      if quarantined.hasSuffix(".torn") {
        ("torn", "a write that was cut short before it was confirmed was put aside")
      } else if quarantined.hasSuffix(".mended") {
        ("repaired", "a segment as it was before it was mended")
      } else {
        ("damaged", "a damaged file was put aside whole; what it alone held is not in any history")
      }
    return [
      "kind": JSON(kind), "file": JSON("quarantine/\(quarantined)"), "what": JSON(what),
      "do": "keep it, or remove it when it is not needed: it is reported until it is removed",
    ]
  }
}

extension LogError {
  /// True if the file may not be read.
  fileprivate var isDenied: Bool {
    if case .io(_, _, let code) = self { code == EACCES || code == EPERM } else { false }
  }
}
