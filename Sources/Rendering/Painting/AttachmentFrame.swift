import EditModel
import TextGrid

/// Draws the frame of an attachment with characters of one cell, and its name inside.
struct AttachmentFrame {
  /// What an attachment without room for a frame is drawn with.
  static let square = "▣"

  private let attachment: SheetAttachment

  init(_ attachment: SheetAttachment) { self.attachment = attachment }

  /// The text of a row of the sheet that the attachment touches; it has as many cells as the rectangle.
  func text(ofRow row: Int) -> String {
    let columns = attachment.rectangle.columns
    let place = row - attachment.rectangle.row + attachment.rowsAbove
    if attachment.rows == 1 {
      return columns < 3
        ? String(repeating: Self.square, count: columns)
        : "[" + Self.padded(name(cells: columns - 2), columns - 2, " ") + "]"
    }
    if columns == 1 { return Self.square }
    let inside = columns - 2
    switch place {
    case 0:
      // Two rows have no other place for the name.
      let name = attachment.rows == 2 ? name(cells: inside) : ("", 0)
      return "┌" + Self.padded(name, inside, "─") + "┐"
    case attachment.rows - 1: return "└" + String(repeating: "─", count: inside) + "┘"
    case 1: return "│" + Self.padded(name(cells: inside), inside, " ") + "│"
    default: return "│" + String(repeating: " ", count: inside) + "│"
    }
  }

  /// What is said of the attachment in this number of cells: its name, else its type, else nothing.
  func name(cells: Int) -> (text: String, cells: Int) {
    guard let name = attachment.attachment.name ?? attachment.attachment.type else {
      return ("", 0)
    }
    return ShownText.cut(name, cells: cells)
  }

  private static func padded(
    _ name: (text: String, cells: Int), _ cells: Int, _ filling: String
  ) -> String {
    name.text + String(repeating: filling, count: max(0, cells - name.cells))
  }
}
