package import EditJSON

/// Which edits make an undo step, where it differs from the rule of the daemon.
public struct UndoRule: Hashable, Sendable {
  /// The pause that ends a run of strokes, in nanoseconds, at least 1; nil for 5 seconds.
  public var pauseNanoseconds: Int64?
  /// The kinds of strokes that make runs, of `kindNames`; nil for all.
  public var kinds: [String]?
  /// True if a typed newline starts a step.
  public var newlineStartsStep: Bool

  /// A rule.
  public init(
    pauseNanoseconds: Int64? = nil, kinds: [String]? = nil, newlineStartsStep: Bool = false
  ) {
    (self.pauseNanoseconds, self.kinds) = (pauseNanoseconds, kinds)
    self.newlineStartsStep = newlineStartsStep
  }

  /// The names of the kinds of strokes.
  public static let kindNames = ["typing", "backspace", "delete"]

  package static let codec = Codec<Self>(
    { UndoRule(pauseNanoseconds: $0, kinds: $1, newlineStartsStep: $2) },
    .optional("pauseNanoseconds", \.pauseNanoseconds, .pause),
    .optional("kinds", \.kinds, .array(.stroke)),
    .optional("newlineStartsStep", \.newlineStartsStep, .bool, else: false))
}

extension Codec<Int64> {
  /// A duration in nanoseconds, at least 1.
  fileprivate static let pause = Codec(
    schema: ["type": "integer", "minimum": 1],
    decode: { (json) throws(ShapeError) in try json.asInteger(in: 1...Int64.max) },
    encode: { .integer($0) })
}

extension Codec<String> {
  /// The name of a kind of strokes.
  fileprivate static let stroke = Codec(
    schema: ["enum": .array(UndoRule.kindNames.map { JSON($0) })],
    decode: { (json) throws(ShapeError) in
      let name = try json.asString()
      guard UndoRule.kindNames.contains(name) else {
        throw ShapeError(
          mustBe: "one of \(UndoRule.kindNames.joined(separator: ", "))", found: json)
      }
      return name
    }, encode: { JSON($0) })
}
