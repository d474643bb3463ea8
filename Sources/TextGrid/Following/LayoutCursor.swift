import EditModel
import TextState

/// The document's side of one follower: its layout, and its place in the text.
struct LayoutCursor {
  // One of the two is nil.
  private var rows: GridLayout?
  private var pages: PagedLayout?
  /// The unit that the first row has, and the rows in view.
  private var (top, count) = (0, 0)
  private var page = 0
  private var delivered: [GridRow]?

  init(_ view: LayoutView) {
    switch view {
    case .rows(let options, let top, let count):
      rows = GridLayout(options: options)
      (self.top, self.count) = (max(0, top), max(0, count))
    case .page(let format, let page):
      pages = PagedLayout(format: format)
      self.page = page
    }
  }

  /// Notes an edit. O(touched paragraphs).
  mutating func follow(_ change: Change, in state: TextState) {
    if rows != nil {
      for event in change.paragraphEvents {
        switch event {
        case .removed(_, let descriptor, _), .edited(_, let descriptor, _):
          rows?.invalidate(descriptor.id)
        case .inserted, .attributesChanged: break
        }
      }
    }
    // A view of the text's start stays there.
    if top > 0, change.range.upperBound <= top {
      top += change.changeInLength
    } else {
      top = min(top, change.editedRange.upperBound)
    }
    // The unit before may be a CR to which an LF was added; and the space after a paragraph may depend
    // on the next one.
    let paragraph = state.paragraphIndex(at: max(0, change.editedRange.location - 1))
    pages?.invalidate(from: max(0, paragraph - 1))
  }

  /// Moves the view.
  mutating func move(top: Int?, page: Int?) {
    if let top { self.top = max(0, top) }
    if let page { self.page = page }
  }

  /// What is in view now. The first time, all of it is new.
  mutating func update(_ state: TextState, _ formats: some ParagraphFormats) -> LayoutUpdate {
    let before = rows?.work ?? pages?.work ?? LayoutWork()
    let content: LayoutUpdate.Content
    if let start = rows?.place(of: top, in: state, formats) {
      content = .rows(rows?.rows(from: start, count: count, of: state, formats) ?? [])
    } else {
      content = .page(pages?.page(page, of: state, formats))
    }
    let work = (rows?.work ?? pages?.work ?? LayoutWork()).since(before)
    let shown = content.rows
    defer { delivered = shown }
    return LayoutUpdate(
      sequence: state.sequence, isSnapshot: delivered == nil, content: content,
      changedRows: Self.difference(delivered ?? [], shown), work: work)
  }

  /// The rows of `new` that are shown otherwise than the rows of `old` at the same places.
  private static func difference(_ old: [GridRow], _ new: [GridRow]) -> Range<Int> {
    let common = min(old.count, new.count)
    let first = (0..<common).first { !old[$0].isShown(as: new[$0]) } ?? common
    guard first < max(old.count, new.count) else { return 0..<0 }
    if old.count != new.count { return first..<new.count }
    let last = (first..<common).last { !old[$0].isShown(as: new[$0]) } ?? first
    return first..<last + 1
  }
}

extension GridRow {
  /// True if the row looks the same, wherever its units are.
  fileprivate func isShown(as other: GridRow) -> Bool {
    kind == other.kind && fragments.count == other.fragments.count
      && objects.elementsEqual(other.objects) {
        ($0.column, $0.columns, $0.row, $0.rows) == ($1.column, $1.columns, $1.row, $1.rows)
      }
      && zip(fragments, other.fragments).allSatisfy {
        $0.column == $1.column && $0.shown == $1.shown
      }
  }
}
