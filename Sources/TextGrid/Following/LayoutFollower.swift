/// A key to a cursor in a document. When it is released, the cursor is freed.
public final class LayoutFollower {
  let key: Int
  let cursors: LayoutCursors

  init(key: Int, cursors: LayoutCursors) { (self.key, self.cursors) = (key, cursors) }

  deinit { cursors.remove(key) }

  /// Scrolls rows: the row that has this unit, in UTF-16 units of the text, is the first in view.
  public func scroll(to top: Int) { cursors.move(key, top: top, page: nil) }

  /// Shows another page, counted from 0.
  public func turn(to page: Int) { cursors.move(key, top: nil, page: page) }
}
