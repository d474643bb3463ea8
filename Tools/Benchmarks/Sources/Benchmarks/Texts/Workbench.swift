/// A text that stays, for edits too few and too short to load the text again for each sample.
final class Workbench<Text: EditedText, Pattern: EditPattern> {
  private var text = Text()
  private var pattern: Pattern
  private var batchCount = 2

  /// A text of these units.
  init(_ units: [UInt16], _ pattern: Pattern) throws {
    self.pattern = pattern
    try text.apply(.load(units))
  }

  /// A contender whose samples are nanoseconds per edit. Its batches grow until one takes as
  /// long as a sample should.
  func contender(_ effort: Effort) throws -> Contender {
    // The first goes all the way from where loading ended.
    _ = try sample()
    while try sample().total < effort.sampleLength, batchCount < 1 << 16 { batchCount *= 2 }
    return Contender(Text.name) { try self.sample().each }
  }

  private func sample() throws -> (total: Double, each: Double) {
    let batch = pattern.batch(of: batchCount)
    let total = try Clock.time { try text.apply(batch) }
    return (total, total / Double(batch.count))
  }
}

/// Races the state against the C gap buffer that counts paragraphs, on the same text and edits.
func raceOnWorkbench(
  _ units: [UInt16], _ pattern: some EditPattern, _ effort: Effort
) throws -> [Samples] {
  let contenders = [
    try Workbench<StateText, _>(units, pattern).contender(effort),
    try Workbench<CParagraphText, _>(units, pattern).contender(effort),
  ]
  return try race(contenders, effort)
}
