import EditModel
import EditProtocol

extension Session {
  /// A point as a call names it: local and relative times become RFC 3339.
  ///
  /// - Throws: `CommandError` (64) if the text is no point.
  func point(_ text: String) throws(CommandError) -> PointExpression {
    PointExpression(try parsePoint(text))
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

  /// A time as local clocks show it; empty if there is none.
  func localTime(_ time: Timestamp?) -> String {
    time.map { (time: Timestamp) -> String in localTime(time) } ?? ""
  }
}
