/// The numbers of paragraphs of sections, in order, with the sums before each: a binary indexed tree. (Fenwick
/// 1994.)
struct SectionCounts: Sendable {
  /// The sums of ranges that end at each section.
  private var sums: [Int]

  /// These numbers. O(sections).
  init(_ counts: [Int]) {
    sums = counts
    for index in sums.indices {
      let parent = index | (index + 1)
      if parent < sums.count { sums[parent] += sums[index] }
    }
  }

  /// Adds to the number of a section, which must exist. O(log sections).
  mutating func add(_ change: Int, at section: Int) {
    var index = section
    while index < sums.count {
      sums[index] += change
      index |= index + 1
    }
  }

  /// The number of paragraphs before a section. O(log sections).
  func start(of section: Int) -> Int {
    var (index, sum) = (section - 1, 0)
    while index >= 0 {
      sum += sums[index]
      index = (index & (index + 1)) - 1
    }
    return sum
  }

  /// The section of a paragraph, which is not after the last one, and its index in it. O(log sections).
  func place(of paragraph: Int) -> (section: Int, item: Int) {
    var (section, rest) = (0, paragraph)
    var step = sums.isEmpty ? 0 : 1 << (Int.bitWidth - 1 - sums.count.leadingZeroBitCount)
    while step > 0 {
      let next = section + step
      if next <= sums.count, sums[next - 1] <= rest {
        (section, rest) = (next, rest - sums[next - 1])
      }
      step >>= 1
    }
    return (section, rest)
  }
}
