import EditModel

extension StateComparison {
  /// Matches only these paragraphs, each found in both versions by its identifier. O(log n) each.
  func matchParagraphs(_ ids: some Sequence<ParagraphID>) -> ParagraphMatching {
    var matching = ParagraphMatching()
    var removed: [Int] = []
    var rest: [(index: Int, descriptor: ParagraphDescriptor, oldRange: UTF16Range?)] = []
    for id in ids {
      visits += 1
      let before = old.position(of: id).map(ParagraphPlace.init)
      if let after = new.position(of: id).map(ParagraphPlace.init) {
        let oldRange = before.map { old.descriptor(at: $0).range }
        rest.append((after.index, new.descriptor(at: after), oldRange))
      } else if let before {
        removed.append(before.index)
      }
    }
    for index in removed.sorted() { matching.remove(index..<index + 1) }
    for (index, descriptor, oldRange) in rest.sorted(by: { $0.index < $1.index }) {
      if let oldRange {
        matching.keep(index, descriptor, oldRange: oldRange)
      } else {
        matching.insert(index, descriptor)
      }
    }
    return matching
  }

  /// Matches all paragraphs by identifier. Those in shared nodes are matched together. Paragraphs
  /// whose order changed count as removed and inserted.
  func matchParagraphs() -> ParagraphMatching {
    var matching = ParagraphMatching()
    var end = (old: 0, new: 0)
    let all = Hunk(
      old: old.paragraphCount..<old.paragraphCount, new: new.paragraphCount..<new.paragraphCount)
    for stretch in stretches(\.paragraphRecords) + [all] {
      let start = new.place(ofParagraph: end.new).start
      let span = start..<new.place(ofParagraph: stretch.new.lowerBound).start
      matching.keep(
        AlignedSpan(new: span, shift: start - old.place(ofParagraph: end.old).start))
      match(stretch, &matching)
      end = (stretch.old.upperBound, stretch.new.upperBound)
    }
    return matching
  }

  /// Matches the paragraphs of a stretch that the versions do not share.
  private func match(_ stretch: Hunk, _ matching: inout ParagraphMatching) {
    let after = Array(TextState.Paragraphs(version: new, bounds: stretch.new))
    visits += after.count
    var next = (old: stretch.old.lowerBound, new: 0)
    func skip(to end: (old: Int, new: Int)) {
      matching.remove(next.old..<end.old)
      for index in next.new..<end.new {
        matching.insert(stretch.new.lowerBound + index, after[index])
      }
      next = (end.old + 1, end.new + 1)
    }
    // If there are many more old paragraphs than new ones, the old ones are not read.
    let pairs =
      stretch.old.count / 8 > after.count
      ? pairsByLookup(stretch.old, after) : pairsByReading(stretch.old, after)
    for pair in pairs {
      skip(to: (pair.old, pair.new))
      matching.keep(
        stretch.new.lowerBound + pair.new, after[pair.new], oldRange: pair.oldRange)
    }
    skip(to: (stretch.old.upperBound, after.count))
  }

  /// A paragraph of both versions: its old index and range, and its place in a list of new ones.
  private typealias Pair = (old: Int, new: Int, oldRange: UTF16Range)

  /// The paragraphs of `after` that are among the old ones. O(all of them).
  private func pairsByReading(_ range: Range<Int>, _ after: [ParagraphDescriptor]) -> [Pair] {
    let before = Array(TextState.Paragraphs(version: old, bounds: range))
    visits += before.count
    return commonSubsequence(before.map(\.id), after.map(\.id)).map {
      (range.lowerBound + $0.old, $0.new, before[$0.old].range)
    }
  }

  /// As above. O(log n) for each of `after`, whatever the old ones are.
  private func pairsByLookup(_ range: Range<Int>, _ after: [ParagraphDescriptor]) -> [Pair] {
    let found = after.enumerated().compactMap { number, paragraph in
      old.position(of: paragraph.id).map { (old: $0.index, new: number) }
    }
    return longestAscending(found.filter { range.contains($0.old) }).map {
      ($0.old, $0.new, old.descriptor(at: old.place(ofParagraph: $0.old)).range)
    }
  }
}
