import EditModel
import Styling
public import TextGrid

/// Makes sheets of the rows of a layout.
public struct SheetBuilder<Styles: TextStyles> {
  private let styles: Styles

  /// A builder that asks `styles` what text looks like.
  public init(_ styles: Styles) { self.styles = styles }

  /// The sheet of rows that are all alike. O(clusters + runs + decorations).
  ///
  /// - Parameters:
  ///   - rows: Rows of a `GridLayout`.
  ///   - width: Cells in a row.
  public func sheet(_ rows: [GridRow], width: Int) -> Sheet {
    var sheet = Sheet(width: width, rows: rows.map { _ in SheetRow() })
    add(rows, column: 0, width: width, to: &sheet)
    return sheet
  }

  /// The sheet of a page. O(clusters + runs + decorations).
  ///
  /// - Parameters:
  ///   - page: A page of a `PagedLayout`.
  ///   - format: The shape of its pages.
  public func sheet(_ page: GridPage, _ format: PageFormat) -> Sheet {
    let height = page.columns.map(\.count).max() ?? 0
    var sheet = Sheet(
      width: format.width, rows: (0..<height).map { _ in SheetRow() }, page: page.index,
      // The first container begins where the page does.
      holes: format.containers.first?.holes ?? [])
    for (container, rows) in zip(format.containers, page.columns) {
      add(rows, column: container.column, width: container.width, to: &sheet)
    }
    return sheet
  }

  /// Adds the rows of one column.
  private func add(_ rows: [GridRow], column: Int, width: Int, to sheet: inout Sheet) {
    let fragments = rows.flatMap(\.fragments)
    addAttachments(of: rows, column, to: &sheet)
    guard let first = fragments.first, let last = fragments.last else {
      return addSigns(of: rows, column, to: &sheet)
    }
    let range = UTF16Range(first.units.location..<last.units.upperBound)
    let decorations = styles.decorations(in: range, lines: fragments.map(\.units))
    var runs = LookRuns(styles.looks(in: range), from: range.location)
    var unitLooks = UnitLooks(decorations)
    for (index, row) in rows.enumerated() {
      for fragment in row.fragments {
        sheet.rows[index].fragments.append(
          SheetFragment(
            paragraph: row.paragraph, column: column + fragment.column, units: fragment.units,
            runs: self.runs(of: fragment, &runs, &unitLooks),
            beginsRightToLeft: fragment.beginsRightToLeft, isBrokenWord: fragment.isBrokenWord))
      }
    }
    addSigns(of: rows, column, to: &sheet)
    let places = DecorationPlaces(rows: rows, column: column, width: width)
    for decoration in decorations {
      sheet.decorations += places.placed(decoration) { styles.padding(ofParagraph: $0) }
    }
  }

  /// Attachments of a sheet whose names and types are kept, at most: a sheet has a bound.
  private static var namedMax: Int { 4_096 }

  /// The attachments of one column: each once, with all of its rows that are here.
  private func addAttachments(of rows: [GridRow], _ column: Int, to sheet: inout Sheet) {
    // By their first unit, as indices into the sheet's list.
    var known: [Int: Int] = [:]
    for (index, row) in rows.enumerated() {
      for object in row.objects {
        if let place = known[object.units.location] {
          sheet.attachments[place].rectangle.rows += 1
        } else if var attachment = styles.attachment(at: object.units.location) {
          if sheet.attachments.count >= Self.namedMax {
            (attachment.name, attachment.type) = (nil, nil)
          }
          known[object.units.location] = sheet.attachments.count
          sheet.attachments.append(
            SheetAttachment(
              attachment, units: object.units,
              rectangle: CellRectangle(
                column: column + object.column, row: index, columns: object.columns, rows: 1),
              rowsAbove: object.row, rows: object.rows))
        }
      }
    }
  }

  private func addSigns(of rows: [GridRow], _ column: Int, to sheet: inout Sheet) {
    for (index, row) in rows.enumerated() {
      guard let more = row.more else { continue }
      sheet.rows[index].more = SheetSign(
        column: column + more.column, text: more.text, cells: more.cells)
    }
  }

  /// The runs of a fragment: clusters that look the same are one. The look of a cluster is that of its
  /// first unit.
  private func runs(
    of fragment: GridFragment, _ looks: inout LookRuns, _ unitLooks: inout UnitLooks
  ) -> [SheetRun] {
    var runs: [SheetRun] = []
    for cluster in fragment.clusters {
      let location = cluster.units.location
      var (look, link) = looks.look(at: location)
      let fillCount = unitLooks.fillCount
      look = unitLooks.look(at: location, over: look)
      // A fill covers runs as a whole.
      let isAlone =
        cluster.kind == .object || runs.last?.isAttachment == true
        || unitLooks.fillCount != fillCount
      if let last = runs.last, !isAlone, last.looks == look, last.link == link {
        runs[runs.count - 1].text += cluster.shown
        runs[runs.count - 1].cells += cluster.cells.count
        runs[runs.count - 1].units = UTF16Range(
          last.units.location..<cluster.units.upperBound)
      } else {
        runs.append(
          SheetRun(
            text: cluster.shown, cells: cluster.cells.count, units: cluster.units, looks: look,
            link: link, isAttachment: cluster.kind == .object))
      }
    }
    return runs
  }
}

/// Runs of looks, asked for at ascending places.
private struct LookRuns {
  private let runs: [LookRun]
  private var index = 0
  private var end: Int

  init(_ runs: [LookRun], from start: Int) {
    self.runs = runs
    end = start + (runs.first?.length ?? 0)
  }

  mutating func look(at offset: Int) -> (Looks, link: String?) {
    while offset >= end, index + 1 < runs.count {
      index += 1
      end += runs[index].length
    }
    return index < runs.count ? (runs[index].looks, runs[index].link) : (Looks(), nil)
  }
}

/// Decorations that change the look of units. Asked for at ascending places.
private struct UnitLooks {
  /// By their start.
  private let decorations: [StyledDecoration]
  private var next = 0
  private var active: [StyledDecoration] = []
  /// The starts and ends so far of decorations of characters that are drawn as fills of their own.
  private(set) var fillCount = 0

  init(_ decorations: [StyledDecoration]) {
    self.decorations = decorations.filter {
      $0.decoration.granularity == .characterRuns
        || $0.decoration.kind == BuiltInDecoration.strike.rawValue
    }
    .sorted { $0.decoration.range.location < $1.decoration.range.location }
  }

  mutating func look(at offset: Int, over looks: Looks) -> Looks {
    while next < decorations.count, decorations[next].decoration.range.location <= offset {
      active.append(decorations[next])
      if decorations[next].decoration.isFillOfItsOwn { fillCount += 1 }
      next += 1
    }
    active.removeAll {
      let isOver = $0.decoration.range.upperBound <= offset
      if isOver, $0.decoration.isFillOfItsOwn { fillCount += 1 }
      return isOver
    }
    guard !active.isEmpty else { return looks }
    return active.reduce(looks) { looks, styled in
      var looks = looks
      for mode in Theme.Mode.allCases {
        var own = styled.looks[mode]
        let kind = BuiltInDecoration(rawValue: styled.decoration.kind)
        if kind == .strike { own.strikethrough = true }
        if kind?.isFilled != true || styled.decoration.isFillOfItsOwn { own.background = nil }
        looks[mode] =
          styled.decoration.layer == .background
          ? own.covered(by: looks[mode]) : looks[mode].covered(by: own)
      }
      return looks
    }
  }
}

extension Decoration {
  /// True if its colour is not part of the looks of the text.
  fileprivate var isFillOfItsOwn: Bool {
    SheetFill.isOfItsOwn(kind, layer, granularity, shape)
  }
}
