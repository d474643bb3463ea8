/// A key, as a terminal tells it.
package enum ScrubKey: Hashable, Sendable {
  /// A character that is not a control character.
  case character(Character)
  /// A letter together with the control key, in lower case.
  case control(Character)
  case enter, backspace, tab, escape
  case up, down, left, right, shiftLeft, shiftRight
  case pageUp, pageDown, home, end
}
