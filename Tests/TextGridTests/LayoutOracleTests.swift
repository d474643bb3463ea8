import EditModel
import TestSupport
import TextState
import Testing

@testable import TextGrid

/// Layouts of what is in view against the layout of the whole text, which tries all ends of rows.
@Suite struct LayoutOracleTests {
  private static func check(
    _ layout: inout GridLayout, _ text: some AttributedStorage, _ generator: inout TextGenerator,
    _ seed: UInt64
  ) {
    let formats = StripedFormats()
    let oracle = LayoutOracle(options: layout.options, windows: layout.windows)
      .rows(of: text, formats)
    let rows = layout.rows(from: .first, count: .max, of: text, formats)
    #expect(rows.map { oracleRow($0) } == oracle, "seed \(seed)")
    guard rows.count == oracle.count else { return }
    // The rows are the text.
    #expect(rows.compactMap(\.units).reduce(0) { $0 + $1.length } == text.length, "seed \(seed)")

    for _ in 0..<6 {
      let index = generator.below(rows.count)
      guard let place = rows[index].place else { continue }
      let count = 1 + generator.below(8)
      #expect(
        layout.rows(from: place, count: count, of: text, formats)
          == Array(rows[index...].prefix(count)), "seed \(seed)")
      #expect(
        layout.countRows(before: place, in: text, formats) == index, "seed \(seed)")
      #expect(layout.rowNumber(of: place, in: text, formats).value == index, "seed \(seed)")
      #expect(layout.find(row: index, in: text, formats) == .place(place), "seed \(seed)")
      let other = generator.below(rows.count)
      #expect(
        layout.place(other - index, from: place, in: text, formats) == rows[other].place,
        "seed \(seed)")
      let offset = generator.below(text.length + 1)
      let holder = rows.last { row in
        row.units.map { $0.location <= offset && (offset < $0.upperBound || offset == text.length) }
          ?? false
      }
      #expect(layout.place(of: offset, in: text, formats) == holder?.place, "seed \(seed)")
    }
    #expect(
      layout.place(rows.count + 5, from: .first, in: text, formats) == rows.last?.place)
    #expect(
      layout.find(row: rows.count, in: text, formats) == .end(count: rows.count), "seed \(seed)")
    #expect(layout.place(-3, from: .first, in: text, formats) == .first)
  }

  private static func oracleRow(_ row: GridRow) -> LayoutOracle.Row {
    LayoutOracle.Row(
      paragraph: row.paragraph, kind: row.kind, units: row.units?.bounds ?? 0..<0)
  }

  @Test(arguments: seeds(16)) func `what is in view is what the whole text has there`(seed: UInt64)
    throws
  {
    var generator = TextGenerator(seed: seed)
    let options = GridOptions(
      width: 1 + generator.below(24), tabStop: 1 + generator.below(8),
      casing: DisplayCase.allCases[generator.below(3)])
    // Small windows, so that paragraphs have many.
    let windows = ParagraphWindows(length: 8 + generator.below(40), searchLength: 4)
    var layout = GridLayout(options: options, windows: windows)
    var state = try TextState(text: generator.text(pieces: generator.below(60)))
    for _ in 0..<6 {
      // Other sizes of attachments need no invalidation.
      if let action = generator.attachment(length: state.length) { try state.apply(action) }
      Self.check(&layout, state, &generator, seed)
      var array = layout
      var storage = ArrayStorage(state.text)
      for run in state.attributeRuns.enumerated().map({ $0 }) where !run.element.attributes.isEmpty
      {
        let start = state.attributeRuns[..<run.offset].reduce(0) { $0 + $1.length }
        try storage.setAttributes(
          run.element.attributes, in: UTF16Range(start..<start + run.element.length))
      }
      Self.check(&array, storage, &generator, seed)
      let change = try state.apply(generator.action(length: state.length))
      for event in change.paragraphEvents {
        if case .removed(_, let descriptor, _) = event { layout.invalidate(descriptor.id) }
        if case .edited(_, let descriptor, _) = event { layout.invalidate(descriptor.id) }
      }
    }
  }

  @Test func `places that are not in the text are the nearest`() throws {
    let text = ArrayStorage("a\nb\nc")
    var layout = GridLayout(options: GridOptions(width: 10))
    for place in [
      RowPlace(paragraph: 9), RowPlace(paragraph: .max, window: .max, row: .max),
      RowPlace(paragraph: 2, window: 7, row: 7), RowPlace(paragraph: 2, row: .max),
    ] {
      #expect(layout.rows(from: place, count: 2, of: text).map(\.paragraph) == [2])
    }
    #expect(
      layout.rows(from: RowPlace(paragraph: -1, window: -4, row: .min), count: 1, of: text)
        .map(\.paragraph) == [0])
  }
}
