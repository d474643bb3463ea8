public import EditLog
import EditModel
public import EditProtocol

extension QueryEngine {
  /// What would be mended, and what opening the store for writing would do by itself.
  func repairPlan() async throws(ProtocolError) -> JSON {
    let plan = try await source.repairPlan()
    let steps = plan.steps.map { ["file": JSON($0.file), "what": JSON($0.what)] as JSON }
    return [
      "dryRun": true, "repairs": .array(plan.repairs.map(\.json)), "opening": .array(steps),
    ]
  }
}

extension Repair {
  /// The repair as an answer tells of it.
  public var json: JSON {
    var object: JSONObject = ["file": JSON(file)]
    object["document"] = document.map { JSON($0.name) }
    object["what"] = JSON(what)
    return .object(object)
  }
}

extension RecoveryReport {
  /// What opening the store did to its files.
  public var json: JSON {
    [
      "tornBytes": JSON(tornBytes),
      "madeAnew": .array(madeAnew.map { ["file": JSON($0.file), "what": JSON($0.what)] }),
      "quarantined": .array(quarantined.map { JSON($0) }),
      "forgotten": JSON(forgotten.count),
    ]
  }
}

extension ForgetReceipt {
  /// The receipt as an answer tells of it.
  public var json: JSON {
    [
      "document": JSON(document.name), "edits": JSON(editCount), "events": JSON(eventCount),
      "files": JSON(removed.fileCount), "bytes": JSON(removed.size),
      "journals": JSON(removed.journals.count), "sealedDocuments": JSON(sealedDocumentCount),
      "blanked": .array(removed.blanked.map { JSON("quarantine/\($0)") }),
      "unreadableBytes": JSON(removed.unreadableSize),
    ]
  }
}
