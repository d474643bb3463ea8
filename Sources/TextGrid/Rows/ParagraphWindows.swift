import EditModel

/// The windows of a long paragraph, of which each is laid out without the others.
///
/// A row's place depends on all rows before it in its paragraph. To show the middle of a paragraph of
/// 100 MB, all that comes before would have to be laid out. So a row always begins at the start of a
/// window, and windows begin near the multiples of a fixed length: at the first place after the
/// multiple at which a row may end, judged by the text there alone. The rows are then the same wherever
/// the layout begins, and any of them costs at most a window.
struct ParagraphWindows: Hashable, Sendable {
  /// UTF-16 units between the multiples.
  let length: Int
  /// UTF-16 units after a multiple in which its window begins. Less than `length`.
  let searchLength: Int

  /// Windows of about 8,192 units.
  static let standard = ParagraphWindows(length: 8 << 10, searchLength: 1 << 10)

  /// The start of window `index` of a paragraph; nil if it has no such window. O(searchLength).
  ///
  /// - Parameters:
  ///   - index: The window, counted from 0.
  ///   - content: The paragraph without its terminator, in UTF-16 units of the text.
  ///   - text: The text.
  /// - Returns: An offset in the text.
  func start(of index: Int, in content: Range<Int>, of text: some AttributedStorage) -> Int? {
    if index == 0 { return content.lowerBound }
    guard content.count / length >= index else { return nil }
    let multiple = content.lowerBound + index * length
    let end = min(multiple + searchLength, content.upperBound)
    guard multiple < end else { return nil }
    let units = text.units(in: UTF16Range(multiple..<end))
    let clusters = ClusterScan.clusters(of: units)
    let place =
      clusters.first { $0.start > 0 && $0.breakBefore != .prohibited }?.start
      ?? clusters.first { $0.start > 0 }?.start
    // Text that is one cluster is cut, but a surrogate pair is not.
    let start = multiple + (place ?? (UTF16.isTrailSurrogate(units[0]) ? 1 : 0))
    return start < content.upperBound ? start : nil
  }

  /// The window that holds `offset`, which is inside the paragraph or at its end. O(searchLength).
  func window(at offset: Int, in content: Range<Int>, of text: some AttributedStorage) -> Window {
    var index = max(0, min(offset, content.upperBound) - content.lowerBound) / length
    while index > 0 {
      if let start = start(of: index, in: content, of: text), start <= offset {
        return window(index, from: start, in: content, of: text)
      }
      index -= 1
    }
    return window(0, from: content.lowerBound, in: content, of: text)
  }

  /// The window `index`; nil if the paragraph has no such window. O(searchLength).
  func window(_ index: Int, in content: Range<Int>, of text: some AttributedStorage) -> Window? {
    start(of: index, in: content, of: text).map {
      window(index, from: $0, in: content, of: text)
    }
  }

  /// The last window. O(searchLength).
  func last(in content: Range<Int>, of text: some AttributedStorage) -> Window {
    window(at: content.upperBound, in: content, of: text)
  }

  /// A window of a paragraph.
  struct Window: Hashable, Sendable {
    /// Its number in the paragraph, counted from 0.
    let index: Int
    /// Its units without the paragraph's terminator, in UTF-16 units of the text.
    let content: Range<Int>
    /// True if no window follows.
    let isLast: Bool
  }

  private func window(
    _ index: Int, from start: Int, in content: Range<Int>, of text: some AttributedStorage
  ) -> Window {
    let next = self.start(of: index + 1, in: content, of: text)
    return Window(
      index: index, content: start..<(next ?? content.upperBound), isLast: next == nil)
  }
}
