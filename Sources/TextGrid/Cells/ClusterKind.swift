/// What a cluster is, and so how it is shown.
public enum ClusterKind: UInt8, Hashable, Sendable {
  /// Characters that are shown as they are.
  case text
  /// A tab: cells up to the next tab stop.
  case tab
  /// A character that would control a terminal or the direction of text: a picture of it, or its code.
  case control
  /// Combining marks without a base: they are shown on a dotted circle.
  case orphan
  /// A format character that is not shown, such as ZERO WIDTH SPACE. It has no cells. With
  /// `GridOptions.namesInvisible` it is a `control`.
  case hidden
  /// A character U+FFFC that stands for an attachment. Its cells are those of the attachment.
  case object
  /// A character that ends the row, but not the paragraph: VT, FF, U+0085 or U+2028. It has no cells.
  case lineBreak
  /// The terminator of a paragraph. It has no cells.
  case terminator
}
