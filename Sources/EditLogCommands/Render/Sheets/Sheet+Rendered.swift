import EditProtocol
import Rendering
import Styling
import TextGrid

extension Sheet {
  /// A sheet as it was sent.
  ///
  /// - Parameters:
  ///   - sheet: The sheet.
  ///   - holes: The holes that its page was asked for with.
  init(_ sheet: RenderedSheet, holes: [CellRectangle] = []) {
    self.init(
      width: min(sheet.width, 1 << 24),
      rows: sheet.rows.map { row in
        SheetRow(
          fragments: row.fragments.map { SheetFragment($0) },
          more: row.more.map { SheetSign(column: $0.column, text: $0.text, cells: $0.cells) })
      },
      decorations: sheet.decorations.compactMap { SheetDecoration($0) },
      attachments: sheet.attachments.map {
        SheetAttachment(
          $0.attachment, units: $0.units, rectangle: CellRectangle($0.rectangle),
          rowsAbove: $0.rowsAbove, rows: $0.rows)
      }, page: sheet.page, holes: holes)
  }

  /// Adds the rows of the next part of a text.
  mutating func append(_ other: Sheet) {
    for decoration in other.decorations {
      var moved = decoration
      moved.rectangle.row += rows.count
      moved.firstRow?.row += rows.count
      decorations.append(moved)
    }
    for var attachment in other.attachments {
      if attachment.rowsAbove > 0,
        let last = attachments.lastIndex(where: {
          $0.units == attachment.units
        })
      {
        // The lower part of one that the rows so far broke off.
        attachments[last].rectangle.rows += attachment.rectangle.rows
      } else {
        attachment.rectangle.row += rows.count
        attachments.append(attachment)
      }
    }
    rows += other.rows
  }
}

extension SheetFragment {
  fileprivate init(_ fragment: RenderedFragment) {
    self.init(
      paragraph: fragment.paragraph, column: fragment.column, units: fragment.units,
      runs: fragment.runs.map { run in
        SheetRun(
          text: run.text, cells: run.cells, units: run.units,
          looks: Looks(light: TextAppearance(run.light), dark: TextAppearance(run.dark)),
          link: run.link, isAttachment: run.isAttachment)
      },
      beginsRightToLeft: fragment.beginsRightToLeft, isBrokenWord: fragment.isBrokenWord)
  }
}

extension TextAppearance {
  fileprivate init(_ look: RenderedLook?) {
    guard let look else {
      self.init()
      return
    }
    self.init(
      foreground: look.foreground.flatMap { Colour($0) },
      background: look.background.flatMap { Colour($0) }, bold: look.bold, italic: look.italic,
      underline: look.underline, strikethrough: look.strikethrough, dim: look.dim, size: look.size)
  }
}

extension SheetDecoration {
  /// Nil for a decoration of a newer version.
  fileprivate init?(_ decoration: RenderedDecoration) {
    guard let layer = DecorationLayer(rawValue: decoration.layer),
      let granularity = DecorationGranularity(rawValue: decoration.granularity)
    else { return nil }
    self.init(
      kind: decoration.kind, layer: layer, granularity: granularity,
      attribute: decoration.attribute, value: decoration.value, units: decoration.units,
      rectangle: CellRectangle(decoration.rectangle),
      firstRow: decoration.firstRow.map { CellRectangle($0) },
      looks: Looks(light: TextAppearance(decoration.light), dark: TextAppearance(decoration.dark)),
      sign: decoration.sign, run: decoration.run,
      shape: DecorationShape(
        radius: decoration.radius, border: Theme.Colours(decoration),
        width: decoration.lineWidth))
  }
}

extension Theme.Colours {
  /// The colours of the border of a decoration; nil if it has none.
  fileprivate init?(_ decoration: RenderedDecoration) {
    guard let light = decoration.lightBorder.flatMap({ Colour($0) }),
      let dark = decoration.darkBorder.flatMap({ Colour($0) })
    else { return nil }
    self.init(light: light, dark: dark)
  }
}

extension CellRectangle {
  /// A rectangle as it was sent. What no sheet can have is cut, so that sums of the numbers have no overflow.
  init(_ rectangle: RenderRectangle) {
    self.init(
      column: min(rectangle.column, Self.sentMax), row: min(rectangle.row, Self.sentMax),
      columns: min(rectangle.columns, Self.sentMax), rows: min(rectangle.rows, Self.sentMax))
  }

  private static let sentMax = 1 << 24
}
