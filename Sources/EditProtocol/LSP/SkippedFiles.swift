import EditJSON

/// The numbers of files that a client which follows files skips, by reason.
public struct SkippedFiles: Hashable, Sendable {
  /// Why a file is skipped.
  public enum Reason: String, CaseIterable, Hashable, Sendable {
    /// It has NUL bytes.
    case binary
    /// It is not UTF-8, nor of the encoding that was given, or not of that of its byte order mark.
    case notUTF8
    /// It is larger than the limit that was given.
    case tooLarge
    /// The system refuses to read it.
    case unreadable
    /// The daemon refuses its text or its name.
    case refused
    /// Its name is not UTF-8.
    case nameNotUTF8
    /// It is a symbolic link in a folder, which is not followed.
    case symbolicLink
  }

  private var counts: [Reason: Int] = [:]

  /// No files.
  public init() {}

  /// The number for a reason.
  public subscript(reason: Reason) -> Int {
    get { counts[reason] ?? 0 }
    set { counts[reason] = newValue > 0 ? newValue : nil }
  }

  /// True if no file is skipped.
  public var isEmpty: Bool { counts.isEmpty }

  /// The reasons of which there are files, in the order of all, with their numbers.
  public var reasons: [(reason: Reason, count: Int)] {
    Reason.allCases.compactMap { reason in counts[reason].map { (reason, $0) } }
  }

  static let schema: JSON = [
    "type": "object", "additionalProperties": ["type": "integer", "minimum": 0],
  ]

  /// The numbers, by the names of the reasons.
  var json: JSON {
    var object = JSONObject()
    for (reason, count) in reasons { object[reason.rawValue] = JSON(UInt64(count)) }
    return .object(object)
  }

  /// Reads the member `skipped`; no files if it is absent. Reasons of a newer client are left out.
  init(memberOf object: JSONObject) throws(ShapeError) {
    guard let member = object["skipped"], member != .null else { return }
    let numbers = try object.object("skipped")
    for reason in Reason.allCases {
      let count = try numbers.unsignedIfPresent(reason.rawValue)
      self[reason] = count.map { Int(clamping: $0) } ?? 0
    }
  }
}
