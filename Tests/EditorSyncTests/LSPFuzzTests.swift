import EditorSync
import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

struct LSPFuzzTests {
  /// Random commands on a buffer of lines, sent as Neovim sends them, several per message.
  @Test(arguments: 0..<24 as Range<UInt64>)
  func `Neovim's changes give Neovim's buffer`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var buffer = NeovimBuffer(
      lines: randomLines(1...4, &random), endsInNewline: seed % 3 != 0,
      newline: seed % 4 == 1 ? "\r\n" : "\n")
    var harness = LSPHarness("Neovim")
    harness.open(buffer.text)
    for step in 0..<250 {
      let changes = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        randomCommand(on: &buffer, &random)
      }
      let params = DidChangeParams(
        uri: document(LSPHarness.note), version: Int64(step), changes: changes)
      harness.change(params)
      guard harness.text() == String(buffer.text) else {
        Issue.record("step \(step): \(changes) gave \(harness.text()), not \(buffer.text)")
        return
      }
    }
    #expect(harness.states[document(LSPHarness.note)]?.length == buffer.text.count)
  }

  /// Random ranges, of clients with both encodings. Ranges inside the text replace exactly that text;
  /// after others the document stays open.
  @Test(arguments: 0..<16 as Range<UInt64>)
  func `ranges in the text are read by the letter, and none does harm`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let codePoints = seed % 2 == 1
    var harness = LSPHarness(codePoints ? "emacs" : nil)
    harness.open("x\ny\n")
    for step in 0..<300 {
      let before = harness.text()
      let (start, end) = (randomPosition(in: before, &random), randomPosition(in: before, &random))
      let text = randomText(&random)
      let change = DidChangeParams.Change(
        range: LSPRange(start: start, end: end), text: UTF16Text(text))
      harness.anomalies = []
      harness.change(
        DidChangeParams(uri: document(LSPHarness.note), version: nil, changes: [change]))
      guard harness.anomalies.isEmpty else { continue }
      let expected = replacing(start, end, in: before, with: text, codePoints: codePoints)
      #expect(harness.text() == expected, "step \(step): \(before.debugDescription) \(change)")
    }
  }
}

private func randomCommand(
  on buffer: inout NeovimBuffer, _ random: inout SplitMix64
) -> DidChangeParams.Change {
  let count = buffer.lines.count
  if Int.random(in: 0..<30, using: &random) == 0 { return buffer.replace(0..<count, with: []) }
  let first = Int.random(in: 0...count, using: &random)
  let last = min(count, first + Int.random(in: 0...2, using: &random))
  if last == first + 1, Bool.random(using: &random) {
    return buffer.replace(first..<last, with: [typed(into: buffer.lines[first], &random)])
  }
  let lines = randomLines(first == last ? 1...2 : 0...3, &random)
  return buffer.replace(first..<last, with: lines)
}

private func typed(into line: NeovimBuffer.Line, _ random: inout SplitMix64) -> NeovimBuffer.Line {
  var line = line
  let place = Int.random(in: 0...line.count, using: &random)
  let end = min(line.count, place + Int.random(in: 0...2, using: &random))
  line.replaceSubrange(place..<end, with: randomLine(&random).prefix(2))
  return line
}

private func randomLines(
  _ count: ClosedRange<Int>, _ random: inout SplitMix64
) -> [NeovimBuffer.Line] {
  (0..<Int.random(in: count, using: &random)).map { _ in randomLine(&random) }
}

/// Few different characters, so that neighbours are often equal; a CR never at the end, where it
/// would make a CR LF of a line that has none.
private func randomLine(_ random: inout SplitMix64) -> NeovimBuffer.Line {
  let alphabet: NeovimBuffer.Line = ["a", "a", "b", "é", "🙂", "🙃", "𝒳", "\u{301}", "\u{2028}"]
  return (0..<Int.random(in: 0...5, using: &random)).map { _ in
    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
  }
}

private func randomText(_ random: inout SplitMix64) -> String {
  let pieces = ["a", "b", "\n", "\r", "\r\n", "🙂", "é", "\u{2029}", ""]
  return (0..<Int.random(in: 0...4, using: &random)).map { _ in
    pieces[Int.random(in: 0..<pieces.count, using: &random)]
  }.joined()
}

private func randomPosition(in text: String, _ random: inout SplitMix64) -> LSPPosition {
  let lines = text.utf16.count { [0x0A, 0x0D].contains($0) } + 1
  return LSPPosition(
    line: Int.random(in: 0...lines + 1, using: &random),
    character: Int.random(in: 0...8, using: &random))
}

/// The plainest reading of a range inside a text.
private func replacing(
  _ start: LSPPosition, _ end: LSPPosition, in text: String, with new: String, codePoints: Bool
) -> String {
  func offset(_ position: LSPPosition) -> Int {
    let units = Array(text.utf16)
    // For the client with code points, a CR is a character.
    let ends = units.indices.filter { index in
      units[index] == 0x0A
        || !codePoints && units[index] == 0x0D && !units[(index + 1)...].starts(with: [0x0A])
    }
    let start = position.line == 0 ? 0 : ends[position.line - 1] + 1
    let line = units[start..<(position.line < ends.count ? ends[position.line] : units.count)]
    let scalars = String(decoding: line, as: UTF16.self).unicodeScalars.prefix(position.character)
    let column = codePoints ? String(scalars).utf16.count : position.character
    return line.startIndex + column
  }
  var units = Array(text.utf16)
  units.replaceSubrange(offset(start)..<offset(end), with: new.utf16)
  return String(decoding: units, as: UTF16.self)
}
