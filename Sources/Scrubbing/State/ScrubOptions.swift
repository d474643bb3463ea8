/// What a terminal can show.
package struct ScrubOptions: Hashable, Sendable {
  /// True if colours are used. Without, changes have signs: `{+ +}`, `[- -]`.
  package var isColoured: Bool
  /// True if characters besides ASCII are used for lines and bars.
  package var isUnicode: Bool
  /// True if the screen runs on a daemon, which tells what is logged.
  package var canFollow: Bool

  /// Options.
  package init(isColoured: Bool = true, isUnicode: Bool = true, canFollow: Bool = true) {
    (self.isColoured, self.isUnicode) = (isColoured, isUnicode)
    self.canFollow = canFollow
  }
}
