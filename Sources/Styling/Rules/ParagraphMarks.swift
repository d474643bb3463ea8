import EditModel

/// What the rules make of one paragraph: attributes of parts of it, and of all of it.
struct ParagraphMarks {
  struct Span {
    var range: Range<Int>
    var value: AttributeValue
  }

  /// For each name the parts that have it, in order, without overlaps. Offsets are UTF-16 units of the
  /// paragraph.
  private var spans: [(name: String, spans: [Span])] = []
  /// Attributes of the whole paragraph.
  private(set) var whole = AttributeSet()

  /// Gives a part an attribute. The parts of a name must come in order. No part, or no value, is nothing.
  mutating func mark(_ range: Range<Int>, _ name: String, _ value: AttributeValue?) {
    guard let value, !range.isEmpty else { return }
    guard let index = spans.firstIndex(where: { $0.name == name }) else {
      spans.append((name, [Span(range: range, value: value)]))
      return
    }
    if let last = spans[index].spans.last, last.range.upperBound == range.lowerBound,
      last.value == value
    {
      spans[index].spans[spans[index].spans.count - 1].range =
        last.range.lowerBound..<range.upperBound
    } else {
      spans[index].spans.append(Span(range: range, value: value))
    }
  }

  /// As `mark` with a string.
  mutating func mark(_ range: Range<Int>, _ name: String, _ text: String?) {
    mark(range, name, text.map { AttributeValue.string($0) })
  }

  /// Gives the whole paragraph an attribute, unless it has one of this name.
  mutating func set(_ name: String, _ value: AttributeValue) {
    if whole[name] == nil { whole[name] = value }
  }

  /// Gives the whole paragraph an attribute in any case.
  mutating func replace(_ name: String, _ value: AttributeValue) { whole[name] = value }

  /// Removes all marks except those of a name.
  mutating func keepOnly(_ name: String) {
    spans.removeAll { $0.name != name }
    whole = AttributeSet()
  }

  /// The marks as runs that cover a paragraph of `length` units.
  func runs(length: Int) -> [AttributeRun] {
    guard length > 0 else { return [] }
    guard !spans.isEmpty else { return [AttributeRun(length: length, attributes: whole)] }
    var places = spans.map { _ in 0 }
    var (runs, start): ([AttributeRun], Int) = ([], 0)
    while start < length {
      var (attributes, end) = (whole, length)
      for index in spans.indices {
        // Indexed instead of copied: a copy retains the array.
        var place = places[index]
        while place < spans[index].spans.count,
          spans[index].spans[place].range.upperBound <= start
        {
          place += 1
        }
        places[index] = place
        guard place < spans[index].spans.count else { continue }
        let range = spans[index].spans[place].range
        if range.lowerBound > start {
          end = min(end, range.lowerBound)
        } else {
          attributes[spans[index].name] = spans[index].spans[place].value
          end = min(end, range.upperBound)
        }
      }
      if runs.last?.attributes == attributes {
        runs[runs.count - 1].length += end - start
      } else {
        runs.append(AttributeRun(length: end - start, attributes: attributes))
      }
      start = end
    }
    return runs
  }
}
