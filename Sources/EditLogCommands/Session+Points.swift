import EditModel
import EditProtocol

extension Session {
  /// A point as a backend takes it: human and relative times become RFC 3339.
  ///
  /// - Throws: `CommandError` (64) where the text is no point.
  func point(_ text: String) throws(CommandError) -> JSON {
    Self.json(try parsePoint(text))
  }

  /// A point as a backend takes it.
  static func json(_ point: Point) -> JSON {
    switch point {
    case .sequence(let sequence): JSON(String(sequence))
    case .latest: "latest"
    case .time(let time): JSON(time.rfc3339)
    case .mark(let label): JSON("mark:" + label)
    }
  }

  /// Reads a point.
  func parsePoint(_ text: String) throws(CommandError) -> Point {
    do {
      return try PointParser(now: now, utcOffset: utcOffset).parse(text)
    } catch {
      throw .usage(error.description)
    }
  }

  /// A moment as local clocks show it: `2026-11-20 15:04:05`.
  func localTime(_ time: Timestamp) -> String {
    let seconds = time.wholeSeconds
    let civil = CivilTime(seconds: seconds + Int64(utcOffset(seconds)))
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(civil.year)-\(two(civil.month))-\(two(civil.day)) "
      + "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second))"
  }

  /// The time in a member of a result as local clocks show it; empty where there is none.
  func localTime(_ object: JSONObject, _ member: String) throws -> String {
    guard object[member] != nil, object[member] != .null else { return "" }
    return localTime(try object.time(member))
  }
}
