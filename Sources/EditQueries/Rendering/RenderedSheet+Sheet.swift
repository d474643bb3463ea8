import EditModel
import EditProtocol
import Rendering
import Styling
import TextGrid
import TextState

extension RenderedSheet {
  /// A sheet of a version, as it is sent.
  init(_ sheet: Sheet, _ state: TextState) {
    self.init(
      page: sheet.page, width: sheet.width,
      rows: sheet.rows.map { row in
        RenderedRow(
          fragments: row.fragments.map { RenderedFragment($0, state) },
          more: row.more.map { RenderedSign(column: $0.column, cells: $0.cells, text: $0.text) })
      },
      decorations: sheet.decorations.map { RenderedDecoration($0) },
      attachments: sheet.attachments.map {
        RenderedAttachment(
          $0.attachment, units: $0.units, rectangle: RenderRectangle($0.rectangle),
          rowsAbove: $0.rowsAbove, rows: $0.rows)
      })
  }
}

extension RenderedFragment {
  fileprivate init(_ fragment: SheetFragment, _ state: TextState) {
    self.init(
      paragraph: fragment.paragraph, column: fragment.column, units: fragment.units,
      text: state.text(in: fragment.units),
      runs: fragment.runs.map { run in
        RenderedRun(
          text: run.text, cells: run.cells, units: run.units,
          light: RenderedLook(run.looks.light), dark: RenderedLook(run.looks.dark), link: run.link,
          isAttachment: run.isAttachment)
      },
      beginsRightToLeft: fragment.beginsRightToLeft, isBrokenWord: fragment.isBrokenWord)
  }
}

extension RenderedLook {
  /// Nil for plain text.
  fileprivate init?(_ look: TextAppearance) {
    guard look != TextAppearance() else { return nil }
    self.init(
      foreground: look.foreground?.description, background: look.background?.description,
      bold: look.bold, italic: look.italic, underline: look.underline,
      strikethrough: look.strikethrough, dim: look.dim, size: look.size)
  }
}

extension RenderedDecoration {
  fileprivate init(_ decoration: SheetDecoration) {
    self.init(
      kind: decoration.kind, layer: decoration.layer.rawValue,
      granularity: decoration.granularity.rawValue, attribute: decoration.attribute,
      value: decoration.value, units: decoration.units,
      rectangle: RenderRectangle(decoration.rectangle),
      firstRow: decoration.firstRow.map { RenderRectangle($0) },
      light: RenderedLook(decoration.looks.light), dark: RenderedLook(decoration.looks.dark),
      sign: decoration.sign, run: decoration.run, radius: decoration.shape.radius,
      lineWidth: decoration.shape.width,
      lightBorder: decoration.shape.border?.light.description,
      darkBorder: decoration.shape.border?.dark.description)
  }
}

extension RenderRectangle {
  fileprivate init(_ rectangle: CellRectangle) {
    self.init(
      column: rectangle.column, row: rectangle.row, columns: rectangle.columns,
      rows: rectangle.rows)
  }
}
