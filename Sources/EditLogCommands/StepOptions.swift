import ArgumentParser
import EditModel
import EditProtocol
import EditQueries

/// Options for steps from the version that `--at` names.
struct StepOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Go this number of steps on from the version, or back if it is negative. (default: 0)",
      valueName: "count"))
  var step: Int?

  @Option(
    help: ArgumentHelp(
      "The unit of --step: \(StepUnit.grammar). (default: edit)", valueName: "unit"),
    completion: .list(StepUnit.samples))
  var by: String?

  func validate() throws {
    guard by == nil || step != nil else { throw ValidationError("--by goes with --step.") }
    guard by.map({ StepUnit($0) != nil }) ?? true else {
      throw ValidationError("--by takes \(StepUnit.grammar).")
    }
    guard by.flatMap({ StepUnit($0) }) != .time(nanoseconds: .max) else {
      throw ValidationError("--by takes a duration of at most 292 years, the range of times.")
    }
    let countMax = VersionRequest.stepMax
    guard step.map({ (-countMax...countMax).contains($0) }) ?? true else {
      throw ValidationError("--step takes a number from -\(countMax) to \(countMax).")
    }
  }
}

extension Session {
  /// The version that some steps from a point lead to; the point itself without steps.
  ///
  /// - Throws: `CommandError` (64) if the text is not a point.
  func point(
    _ text: String, _ steps: StepOptions, of name: String, _ reading: ReadingOptions
  ) async throws -> PointExpression {
    let point = try point(text)
    guard let count = steps.step, count != 0 else { return point }
    let unit = steps.by.flatMap { StepUnit($0) } ?? .edit
    let answer = try await ask(name, reading) {
      VersionRequest($0, at: point, step: count, by: unit)
    }
    if let made = answer.stepCount, made < count.magnitude {
      let end = count < 0 ? "there is nothing before" : "there is nothing after"
      note("\(end): \(made) of \(count.magnitude) steps, to version \(answer.sequence)")
    }
    return .sequence(answer.sequence)
  }
}

extension StepUnit {
  /// What shells offer for a unit.
  static let samples = ["edit", "undo", "paragraph", "save", "session", "10s", "1m", "1h"]
}
