import EditModel

extension EditSpan {
  /// The parts of a span that is split after each edit whose number is a multiple of `distance`.
  func parts(endingAtMultiplesOf distance: SequenceNumber) -> [EditSpan] {
    var (parts, rest) = ([EditSpan](), self)
    while true {
      let end = ((rest.first - 1) / distance + 1) * distance
      guard rest.last > end else { return parts + [rest] }
      let count = Int(end - rest.first) + 1
      parts.append(rest.prefix(count))
      rest = rest[count..<rest.count]
    }
  }
}
