import EditModel
import EditProtocol

/// Something in a store that is not as it was written, as `editlog/verify` reports it.
struct Finding {
  let place: String
  let kind: String
  let what: String
  /// What to do about it, where there is something.
  let remedy: String?
  private let document: String?
  private let edits: ClosedRange<UInt64>?

  init(_ json: JSON) throws(ShapeError) {
    let object = try json.asObject()
    let offset = try object.unsignedIfPresent("offset") ?? 0
    place = try object.string("file").shown + (offset > 0 ? ", byte \(offset)" : "")
    kind = Excerpt.line(try object.string("kind"), width: nil)
    what = Excerpt.line(try object.string("what"), width: nil)
    document = try object.stringIfPresent("document")?.shown
    remedy = try object.stringIfPresent("do").map { Excerpt.line($0, width: nil) }
    if let first = try object.unsignedIfPresent("firstEdit"),
      let last = try object.unsignedIfPresent("lastEdit"), first <= last
    {
      edits = first...last
    } else {
      edits = nil
    }
  }

  /// The findings in the result of a check.
  static func all(in result: JSONObject) throws(ShapeError) -> [Finding] {
    guard result["findings"] != nil else { return [] }
    return try result.array("findings") { (json) throws(ShapeError) in try Finding(json) }
  }

  /// The exit status that it stands for.
  var status: Int32 {
    switch kind {
    case "accepted": 0
    case "torn": 1
    case "repairable", "repaired", "unknown": 2
    case "refused": 4
    case "newer": 78
    default: 3
    }
  }

  /// The status of all of `findings` together: damage that stays comes before everything.
  static func status(of findings: [Finding]) -> Int32? {
    let order: [Int32] = [0, 1, 2, 78, 4, 3]
    return findings.map(\.status).max {
      (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0)
    }
  }

  /// The lines people read.
  func lines(_ style: Style) -> String {
    let kind = style.paint(kind, status <= 1 ? .warning : .bad)
    let range = edits.map { edits in
      edits.count == 1
        ? "edit \(edits.lowerBound)" : "edits \(edits.lowerBound) to \(edits.upperBound)"
    }
    let concerned = [range, document].compactMap(\.self).joined(separator: " of ")
    let line = "\(place): \(kind): \(what)" + (concerned.isEmpty ? "" : " (\(concerned))")
    return remedy.map { "\(line)\n  to do: \($0)" } ?? line
  }
}
