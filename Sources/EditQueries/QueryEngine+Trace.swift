import EditModel
import EditProtocol
import Projections
import Replay

extension QueryEngine {
  /// What the large deletions of a history cost, measured by doing them again: as a list, and
  /// as a Chrome trace that Perfetto opens.
  func trace(_ query: Query, _ replay: Replay) throws(ProtocolError) -> JSON {
    var settings = DeletionTraceSettings()
    let lengthMin = try query.read { (params) throws(ShapeError) in
      try params.integerIfPresent("minLength", in: 1...Int64(EditAction.textLengthMax))
    }
    if let lengthMin {
      (settings.unitsMin, settings.paragraphsMin) = (Int(lengthMin), .max)
    }
    let runner = try fold(replay, [DeletionTraces(settings: settings, clock: clock.monotonic)])
    let traces = runner[DeletionTraces.self]?.traces ?? []
    return [
      "traces": .array(traces.map(Self.row)),
      "chrome": try Self.chrome(traces, query.document),
    ]
  }

  private static func row(_ trace: DeletionTrace) -> JSON {
    var phases: JSONObject = [:]
    for phase in TracePhase.allCases { phases[phase.rawValue] = JSON(trace.duration(of: phase)) }
    var row: JSONObject = [
      "sequence": JSON(trace.sequence), "time": JSON(trace.time.rfc3339),
      "origin": JSON(trace.origin.name), "units": JSON(trace.unitsDeleted),
      "paragraphs": JSON(trace.paragraphsDeleted), "unitsBefore": JSON(trace.unitsBefore),
      "paragraphsBefore": JSON(trace.paragraphsBefore), "phases": .object(phases),
      "total": JSON(trace.duration),
    ]
    row["author"] = trace.author.map { JSON($0) }
    row["linear"] = trace.linear.map { JSON($0.duration) }
    return .object(row)
  }

  private static func chrome(_ traces: [DeletionTrace], _ document: DocumentID)
    throws(ProtocolError) -> JSON
  {
    do {
      return try JSON.parse(Array(ChromeTrace.json(traces, process: document.name).utf8))
    } catch {
      throw ProtocolError(.internalError, "the Chrome trace is no JSON: \(error)")
    }
  }
}
