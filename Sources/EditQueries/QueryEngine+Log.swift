import EditLog
import EditModel
import EditProtocol
import Replay

extension QueryEngine {
  /// The most entries one answer holds; the asker goes on from `next`.
  static let entryCountMax = 10_000

  /// Entries in order, at most `limit` from behind `after` on; `next` is where to go on, absent
  /// at the end. With `newestFirst` the answer holds the newest ones up to `through`, newest
  /// first, and `next` is the `through` to go on with.
  func log(_ query: Query, _ replay: Replay) async throws(ProtocolError) -> JSON {
    let history = replay.history
    if query.params["through"] == nil { try await refuseLost(.latest, history) }
    let (after, through, limit, newestFirst) = try query.read { (params) throws(ShapeError) in
      (
        try params.unsignedIfPresent("after") ?? 0,
        min(try params.unsignedIfPresent("through") ?? .max, history.lastSequence),
        Int(try params.integerIfPresent("limit", in: 1...Int64(Self.entryCountMax)) ?? 1_000),
        try params.boolIfPresent("newestFirst") ?? false
      )
    }
    guard after <= through else { return ["entries": []] }
    let size = min(UInt64(limit), through - after)
    let range =
      newestFirst
      ? (after: through - size, through: through) : (after: after, through: after + size)
    var entries: [JSON] = []
    do {
      try replay.check(after: range.after, through: range.through)
      try history.forEachEntry(after: range.after, through: range.through) {
        entries.append($0.json)
      }
    } catch {
      throw ProtocolError(reading: error, of: history)
    }
    var result: JSONObject = ["entries": .array(newestFirst ? entries.reversed() : entries)]
    if newestFirst, range.after > after { result["next"] = JSON(range.after) }
    if !newestFirst, range.through < through { result["next"] = JSON(range.through) }
    return .object(result)
  }
}
