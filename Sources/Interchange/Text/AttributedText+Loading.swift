public import EditModel

extension AttributedText {
  /// The maximum length of the edits of `loadingActions`, in UTF-16 units.
  public static let loadingLengthMax = 1 << 24
  /// The maximum number of values in the attributes of such an edit: names, values, and those in lists
  /// and maps.
  public static let loadingValuesMax = 1 << 18

  /// The actions that make this text of an empty one, each after the one before. One for most texts, also
  /// for an empty one: a document begins with its first edit. Neither a surrogate pair nor a CR LF is cut. O(n).
  ///
  /// - Parameters:
  ///   - lengthMax: The maximum length of an action, in UTF-16 units; at least 2.
  ///   - valuesMax: The number of values after which an action has no further run.
  /// - Returns: Insertions, each at the end of the text so far, with the attributes of their units.
  public func loadingActions(
    lengthMax: Int = loadingLengthMax, valuesMax: Int = loadingValuesMax
  ) -> [EditAction] {
    if isEmpty { return [EditAction(replacing: UTF16Range(0..<0), with: UTF16Text())] }
    let isPlain = runs.allSatisfy { $0.attributes.isEmpty }
    return withUnits { units in
      var (actions, start, rest): ([EditAction], Int, ArraySlice<AttributeRun>) = ([], 0, runs[...])
      while start < units.count {
        var end = start + min(units.count - start, max(2, lengthMax))
        if !isPlain { end = min(end, start + Self.length(of: rest, valuesMax: valuesMax)) }
        if end < units.count, end - start > 1, Self.isPair(units[end - 1], units[end]) { end -= 1 }
        let text = UTF16Text(units: Array(units[start..<end]))
        let place = UTF16Range(start..<start)
        let piece = Self.take(end - start, of: &rest)
        let action = try? EditAction(
          range: place, replacement: text, attributes: isPlain ? .inherit : .set(piece))
        actions.append(action ?? EditAction(replacing: place, with: text))
        start = end
      }
      return actions
    }
  }

  /// The length of the first runs that together have at most this number of values; of the first run,
  /// if it has more.
  private static func length(of runs: ArraySlice<AttributeRun>, valuesMax: Int) -> Int {
    var (length, count) = (0, 0)
    for run in runs {
      count += 3 + run.attributes.reduce(0) { $0 + $1.value.valueCount }
      if length > 0, count > valuesMax { break }
      length += run.length
    }
    return length
  }

  /// True if two units must stay together.
  private static func isPair(_ first: UInt16, _ second: UInt16) -> Bool {
    first == 0x0D && second == 0x0A
      || UTF16.isLeadSurrogate(first) && UTF16.isTrailSurrogate(second)
  }

  /// Takes the runs of the next `length` units.
  private static func take(
    _ length: Int, of rest: inout ArraySlice<AttributeRun>
  ) -> [AttributeRun] {
    var (taken, missing): ([AttributeRun], Int) = ([], length)
    while missing > 0, let run = rest.first {
      guard run.length > missing else {
        taken.append(rest.removeFirst())
        missing -= run.length
        continue
      }
      taken.append(AttributeRun(length: missing, attributes: run.attributes))
      rest[rest.startIndex].length -= missing
      missing = 0
    }
    return taken
  }
}

extension AttributeValue {
  /// The number of values in it, itself included.
  fileprivate var valueCount: Int {
    switch self {
    case .list(let values): values.reduce(1) { $0 + $1.valueCount }
    case .map(let values): values.reduce(1) { $0 + $1.value.valueCount }
    case .bool, .integer, .double, .string, .bytes: 1
    }
  }
}
