public import EditJSON
public import EditModel

extension StepUnit {
  /// The unit of this name: `edit`, `undo`, `paragraph`, `save`, `session`, or a duration such as `10s`
  /// or `1h30m` for steps of time. Nil for any other text.
  public init?(_ text: String) {
    switch text {
    case "edit": self = .edit
    case "undo": self = .undoStep
    case "paragraph": self = .paragraphChange
    case "save": self = .save
    case "session": self = .session
    default:
      guard let seconds = PointParser.seconds(ofDuration: text), seconds > 0 else { return nil }
      let (nanoseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      self = .time(nanoseconds: isTooLong ? .max : nanoseconds)
    }
  }

  /// The name. A duration is in seconds, rounded up.
  public var name: String {
    switch self {
    case .edit: "edit"
    case .undoStep: "undo"
    case .paragraphChange: "paragraph"
    case .save: "save"
    case .session: "session"
    case .time(let nanoseconds):
      "\(max(1, nanoseconds / 1_000_000_000 + (nanoseconds % 1_000_000_000 > 0 ? 1 : 0)))s"
    }
  }

  /// The names, in one line.
  public static let grammar =
    "edit, undo, paragraph, save, session, or a duration such as 10s (s, m, h, d, w)"
}

extension Codec<StepUnit> {
  /// The unit of a step, by its name.
  public static let stepUnit = Codec(
    schema: [
      "type": "string", "pattern": "^(edit|undo|paragraph|save|session|([0-9]+[smhdw])+)$",
    ],
    decode: { (json) throws(ShapeError) in
      guard let unit = StepUnit(try json.asString()) else {
        throw ShapeError(mustBe: StepUnit.grammar, found: json)
      }
      return unit
    }, encode: { JSON($0.name) })
}
