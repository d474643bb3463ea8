import EditLog
import EditModel
public import EditProtocol
import Replay
import TextState

/// Answers every question about histories, in the words of the protocol. The daemon and the
/// command line ask it alike, so that an answer does not depend on who gives it.
public struct QueryEngine: Sendable {
  let source: any HistorySource
  let clock: QueryClock

  /// Queries over `source`.
  public init(_ source: any HistorySource, clock: QueryClock = .system) {
    (self.source, self.clock) = (source, clock)
  }

  /// The methods that `answer` knows; of `editlog/repair` what it would do.
  public static let methods: Set<String> = [
    "editlog/documents", "editlog/state", "editlog/paragraphs", "editlog/log", "editlog/diff",
    "editlog/undo", "editlog/trace", "editlog/status", "editlog/verify", "editlog/usage",
    "editlog/repair",
  ]

  /// The result of the method called with these params.
  ///
  /// - Throws: `ProtocolError` where params are of the wrong shape, the document or the point
  ///   does not exist, or the log cannot be read.
  public func answer(_ method: String, _ params: JSON) async throws(ProtocolError) -> JSON {
    guard Self.methods.contains(method) else { throw .methodNotFound(method) }
    switch method {
    case "editlog/documents": return try await documents()
    case "editlog/status": return try await status(params)
    case "editlog/verify": return try await verify(params)
    case "editlog/usage": return try await usage()
    case "editlog/repair": return try await repairPlan()
    default: break
    }
    return try await answer(method, Query(params, clock))
  }

  /// Why an answer may lack something: losses that are not accepted.
  private func lossWarnings(
    _ consequence: String = "this history may lack edits that were acknowledged"
  ) async -> [String] {
    do {
      return try await source.losses().filter { $0.acceptedTime == nil }.map {
        """
        \($0): \(consequence); see `editlog verify`, and `editlog repair --accept-loss` once you \
        know what is gone
        """
      }
    } catch { return ["the store's losses cannot be read: \(error)"] }
  }

  private func answer(_ method: String, _ query: Query) async throws(ProtocolError) -> JSON {
    let (result, history): (JSON, History)
    do throws(ProtocolError) {
      let replay = try await replay(query)
      history = replay.history
      result = try await answer(method, query, replay)
    } catch { throw error.about(query.document) }
    var warnings = history.damage.filter { !$0.isAccepted }.map {
      """
      \(history.document.shown) lacks \($0.missing) that were acknowledged, after edit \
      \($0.after); see `editlog verify`
      """
    }
    warnings += await lossWarnings()
    guard case .object(var object) = result, !warnings.isEmpty else { return result }
    object["warnings"] = .array(warnings.map { JSON($0) })
    // Edits that are lost come after every edit that can be named by its number.
    if case .integer? = query.params["at"] { return .object(object) }
    if await mayLackEdits { object["incomplete"] = true }
    return .object(object)
  }

  /// True if acknowledged edits of any document may be lost and the loss is not accepted.
  private var mayLackEdits: Bool {
    get async {
      do { return try await source.losses().contains(where: \.mayConcernAnyDocument) } catch {
        return true
      }
    }
  }

  private func answer(
    _ method: String, _ query: Query, _ replay: Replay
  ) async throws(ProtocolError) -> JSON {
    switch method {
    case "editlog/state": return try await state(query, replay)
    case "editlog/paragraphs": return try await paragraphs(query, replay)
    case "editlog/log": return try await log(query, replay)
    case "editlog/diff": return try await diff(query, replay)
    case "editlog/undo": return try undo(query, replay)
    case "editlog/trace": return try trace(query, replay)
    default: throw .methodNotFound(method)
    }
  }

  func history(of document: DocumentID) async throws(ProtocolError) -> History {
    if let history = try await source.history(of: document) { return history }
    var error = ProtocolError.unknownDocument(document)
    for warning in await lossWarnings("it may be lost with what was acknowledged of it") {
      error.message += "; \(warning)"
    }
    throw error
  }

  /// The state at `point`: the one at hand where it is the newest, else by replay.
  func state(at point: Point, _ replay: Replay) async throws(ProtocolError) -> TextState {
    try await refuseLost(point, replay.history)
    do throws(ReplayError) {
      let sequence = try replay.sequence(of: point)
      if !replay.isVerified, sequence == replay.history.lastSequence,
        let newest = await source.newestState(of: replay.history.document),
        newest.sequence == sequence
      {
        return newest
      }
      return try replay.state(at: .sequence(sequence))
    } catch {
      throw ProtocolError(error, of: replay.history)
    }
  }

  /// Refuses a point at which edits that were acknowledged are lost to damage: the text there is
  /// not known. If the history goes on after the damage, its newest text is known again.
  func refuseLost(_ point: Point, _ history: History) async throws(ProtocolError) {
    guard let damage = history.damage.last, damage.after == history.lastSequence,
      !damage.isAccepted
    else { return }
    switch point {
    case .sequence(let sequence) where sequence <= damage.after: return
    case .mark: return
    case .sequence, .latest, .time: break
    }
    let quarantined = try await source.status().quarantine.keys
    throw .loss(damage, of: history.document, in: Array(quarantined)) { file in
      """
      \(history.document.shown) lacks \(damage.missing) after edit \(damage.after), \
      which were acknowledged and are damaged in \(file); its text up to there is sound (--at \
      \(damage.after))
      """
    }
  }

  /// Documents that a list opens, at most, to see what is damaged of them: in about 50 ms. Of more,
  /// what is missing or cut shows, and `verify` tells the rest.
  private static let openedCountMax = 1_000

  private func documents() async throws(ProtocolError) -> JSON {
    let summaries = try await source.documents(openingUpTo: Self.openedCountMax)
    let rows = summaries.concurrentMap { summary -> JSON in
      var row: JSONObject = [
        "document": JSON(summary.document.name), "number": JSON(summary.number),
        "sequence": JSON(summary.lastSequence),
        "bytes": JSON(summary.sealedSize + summary.unsealedSize),
      ]
      row["problem"] = summary.problem.map { JSON("\($0)") }
      row["firstTime"] = summary.firstTime.map { JSON($0.rfc3339) }
      row["lastTime"] = summary.lastTime.map { JSON($0.rfc3339) }
      return .object(row)
    }
    var result: JSONObject = ["documents": .array(rows)]
    let warnings = await lossWarnings("documents may be missing from this list, or edits of them")
    if !warnings.isEmpty { result["warnings"] = .array(warnings.map { JSON($0) }) }
    if await mayLackEdits { result["incomplete"] = true }
    return .object(result)
  }
}

/// The params that all methods about a document share.
struct Query {
  let document: DocumentID
  let params: JSONObject
  private let clock: QueryClock

  init(_ params: JSON, _ clock: QueryClock) throws(ProtocolError) {
    self.clock = clock
    do throws(ShapeError) {
      self.params = try params.asObject()
      document = try self.params.document("document")
    } catch {
      throw ProtocolError(error.within("params"))
    }
  }

  /// The params as `read` reads them; errors name the member.
  func read<Value>(_ read: (JSONObject) throws(ShapeError) -> Value) throws(ProtocolError) -> Value
  {
    do { return try read(params) } catch { throw ProtocolError(error.within("params")) }
  }

  /// The point of this name, a string in the grammar of `PointParser` or a sequence number; the
  /// newest version where it is absent.
  func point(_ name: String) throws(ProtocolError) -> Point {
    guard let value = params[name], value != .null else { return .latest }
    if case .integer = value {
      return .sequence(
        try read { (params) throws(ShapeError) in try params.unsigned(name) })
    }
    let text = try read { (params) throws(ShapeError) in try params.string(name) }
    do {
      return try PointParser(now: clock.now(), utcOffset: clock.utcOffset).parse(text)
    } catch {
      throw ProtocolError(.invalidParams, "params.\(name): \(error)")
    }
  }
}
