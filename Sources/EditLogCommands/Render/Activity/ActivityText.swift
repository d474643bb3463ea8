import EditModel
import EditProtocol

/// Prints a report as text: a sum, a heat strip of days and hours, and tables.
struct ActivityText {
  private let report: ActivityReport
  private let session: Session
  private let dayCountMax: Int

  private static let shareCountMax = 10
  private static let pauseCountMax = 5
  /// The signs of the levels.
  private static let signs: [Character] = [".", ":", "-", "=", "#", "%"]

  init(_ report: ActivityReport, _ session: Session, dayCountMax: Int) {
    (self.report, self.session, self.dayCountMax) = (report, session, dayCountMax)
  }

  func print(title: String) throws {
    try printSum(title)
    try printStrip()
    try printDocuments()
    try printShares()
    try printPauses()
    try printParagraphs()
  }

  private func printSum(_ title: String) throws {
    let (style, output) = (session.style, session.output)
    try output.writeLine(style.paint(Excerpt.cut(title, to: session.width), .header))
    for line in lines(Self.sum(report.total), indent: 2) { try output.writeLine(line) }
    guard let times = report.times else { return }
    let span = "\(session.localTime(times.lowerBound)) to \(session.localTime(times.upperBound))"
    for line in lines(span, indent: 2) { try output.writeLine(style.paint(line, .time)) }
  }

  /// A text in lines that fit the terminal.
  private func lines(_ text: String, indent: Int = 0) -> [String] {
    let lines = session.width.map { text.wrapped(to: max(12, $0 - indent)) } ?? [text]
    return lines.map { String(repeating: " ", count: indent) + $0 }
  }

  /// `1,204 edits in 2 work periods, 2 h 10 min, 310 words, +1,840 -311`.
  static func sum(_ counts: ShownActivity) -> String {
    [
      "\(amount(counts.edits, "edit")) in \(amount(counts.sessions, "work period"))",
      duration(counts.activeMicros), amount(counts.words, "word"),
      "+\(Numbers.grouped(counts.inserted)) -\(Numbers.grouped(counts.removed))",
    ].joined(separator: ", ")
  }

  /// `1 edit`, `1,204 edits`.
  static func amount(_ count: Int, _ word: String) -> String {
    "\(Numbers.grouped(count)) \(word)\(count == 1 ? "" : "s")"
  }

  /// `2 h 10 min`, `45 min`, `20 s`.
  static func duration(_ micros: Int64) -> String {
    let seconds = micros / 1_000_000
    if seconds < 60 { return "\(seconds) s" }
    let minutes = seconds / 60
    if minutes < 60 { return "\(minutes) min" }
    return "\(Numbers.grouped(minutes / 60)) h \(minutes % 60) min"
  }

  /// `3 d 4 h`, `2 h 10 min`: for a pause.
  private static func pause(_ pause: ShownPause) -> String {
    let gap = pause.toTime.nanoseconds.subtractingReportingOverflow(pause.fromTime.nanoseconds)
    let micros = max(0, gap.overflow ? .max : gap.partialValue) / 1_000
    let hours = micros / 3_600_000_000
    return hours < 24
      ? duration(micros) : "\(Numbers.grouped(hours / 24)) d \(hours % 24) h"
  }

  // MARK: Days

  private func printStrip() throws {
    let (rows, earlier) = report.rows(dayCountMax)
    guard !rows.isEmpty else { return }
    let cell = (session.width ?? 80) >= 120 ? 2 : 1
    let scale = HeatScale(max: report.days.values.flatMap(\.hours).max() ?? 0)
    var table = session.table(
      [
        .init(title: "DAY"), .init(title: Self.hourTitle(cell)),
        .init(title: "EDITS", isRight: true, rank: 5),
        .init(title: "WORDS", isRight: true, rank: 3),
        .init(title: "+", isRight: true, rank: 2), .init(title: "-", isRight: true, rank: 1),
        .init(title: "TIME", isRight: true, rank: 4),
      ])
    if !earlier.isEmpty {
      let edits = earlier.reduce(0) { $0 + $1.counts.edits }
      table.append([
        .init(
          spanning: """
            \(Self.amount(earlier.count, "earlier day")) with \(Self.amount(edits, "edit")); \
            --days 0 shows them
            """, .faint)
      ])
    }
    var year: Int?
    for row in rows {
      if case .day(let day) = row, day.date.year != year {
        year = day.date.year
        table.append([.init(spanning: "\(day.date.year)", .header)])
      }
      switch row {
      case .day(let day): table.append(cells(of: day, scale, cell))
      case .empty(let count):
        table.append([
          .init(spanning: "\(Numbers.grouped(count)) days without edits", .faint)
        ])
      }
    }
    try session.output.write("\n")
    try session.print(&table)
    for line in lines(Self.legend(scale)) {
      try session.output.writeLine(session.style.paint(line, .faint))
    }
  }

  private func cells(of day: ActivityReport.Day, _ scale: HeatScale, _ cell: Int) -> [Table.Cell] {
    let strip = day.hours.reduce(into: "") { strip, count in
      strip += String(repeating: Self.signs[scale.level(count)], count: cell)
    }
    let (date, counts) = (Self.date(day.date), day.counts)
    guard counts.edits > 0 else { return [.init(date, .faint), .init(strip, .faint)] }
    return [
      .init(date), .init(strip, .good), .init(Numbers.grouped(counts.edits)),
      .init(Numbers.grouped(counts.words)), .init(Numbers.grouped(counts.inserted), .added),
      .init(Numbers.grouped(counts.removed), .removed),
      .init(Self.duration(counts.activeMicros), .time),
    ]
  }

  /// `Fri 20 Nov`.
  private static func date(_ date: CivilTime) -> String {
    Session.day(date).split(separator: " ").dropLast().joined(separator: " ")
  }

  /// `00    06    12    18`: the hours above their columns.
  private static func hourTitle(_ cell: Int) -> String {
    let step = cell == 1 ? 6 : 3
    return stride(from: 0, to: 24, by: step).reduce(into: "") { title, hour in
      title += (hour < 10 ? "0\(hour)" : "\(hour)").padded(to: step * cell)
    }
  }

  /// The numbers of edits an hour that the signs stand for.
  private static func legend(_ scale: HeatScale) -> String {
    let levels = (1...HeatScale.levelCount).compactMap { level in
      scale.range(level).map { range in
        let (lower, upper) = (Numbers.grouped(range.lowerBound), Numbers.grouped(range.upperBound))
        return "\(signs[level]) \(lower == upper ? lower : "\(lower)-\(upper)")"
      }
    }
    return "edits an hour:  . none  " + levels.joined(separator: "  ")
  }

  // MARK: Tables

  private func printDocuments() throws {
    guard report.documentCount > 1 else { return }
    var table = session.table(
      [.init(title: "DOCUMENT", cutWidth: 24)] + Self.countColumns)
    for (name, counts) in report.documents {
      table.append([.init(path: name)] + cells(of: counts))
    }
    let rest = report.documentCount - report.documents.count
    if rest > 0 { table.append([.init(spanning: "\(Numbers.grouped(rest)) others", .faint)]) }
    try session.output.write("\n")
    try session.print(&table)
  }

  private static let countColumns: [Table.Column] = [
    .init(title: "EDITS", isRight: true), .init(title: "SHARE", isRight: true),
    .init(title: "WORDS", isRight: true, rank: 3), .init(title: "+", isRight: true, rank: 2),
    .init(title: "-", isRight: true, rank: 1), .init(title: "TIME", isRight: true),
  ]

  /// The share is that of the units inserted.
  private func cells(of counts: ShownActivity) -> [Table.Cell] {
    let all = report.total.inserted
    let share =
      all > 0 ? Numbers.decimal(100 * Double(counts.inserted) / Double(all), 0) + " %" : ""
    return [
      .init(Numbers.grouped(counts.edits)), .init(share, .header),
      .init(Numbers.grouped(counts.words)), .init(Numbers.grouped(counts.inserted), .added),
      .init(Numbers.grouped(counts.removed), .removed),
      .init(Self.duration(counts.activeMicros), .time),
    ]
  }

  private func printShares() throws {
    let authors = report.shares { $0.origin == nil ? nil : $0.author?.shown ?? "(unknown)" }
    let agents = report.shares { $0.origin == .program ? $0.author?.shown : nil }
    let origins = report.shares { $0.origin?.name ?? "(others)" }
    for (title, shares) in [("AUTHOR", authors), ("ORIGIN", origins), ("AGENT", agents)]
    where !shares.isEmpty {
      var table = session.table(
        [.init(title: title, cutWidth: 24, widthMax: 40)] + Self.countColumns)
      for (name, counts) in shares.prefix(Self.shareCountMax) {
        table.append([.init(name, title == "ORIGIN" ? .origin : .author)] + cells(of: counts))
      }
      let rest = shares.dropFirst(Self.shareCountMax)
      if !rest.isEmpty {
        let sum = rest.reduce(into: ShownActivity()) { $0 += $1.counts }
        table.append(
          [.init("\(Numbers.grouped(rest.count)) others", .faint)] + cells(of: sum))
      }
      try session.output.write("\n")
      try session.print(&table)
    }
  }

  private func printPauses() throws {
    guard report.documentCount == 1, !report.pauses.isEmpty else { return }
    var table = session.table(
      [
        .init(title: "PAUSE", isRight: true), .init(title: "FROM"), .init(title: "TO"),
        .init(title: "AFTER EDIT", isRight: true, rank: 1),
      ])
    for pause in report.pauses.prefix(Self.pauseCountMax) {
      table.append([
        .init(Self.pause(pause)), .init(session.localTime(pause.fromTime), .time),
        .init(session.localTime(pause.toTime), .time), .init("\(pause.after)", .sequence),
      ])
    }
    try session.output.write("\n")
    try session.print(&table)
  }

  /// A text with a space for each run of white space, as columns of a table have them.
  private static func joined(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private func printParagraphs() throws {
    guard !report.paragraphs.isEmpty else { return }
    var table = session.table(
      [
        .init(title: "REWORKED"), .init(title: "-", isRight: true),
        .init(title: "EDITS", isRight: true), .init(title: "DOCUMENT", cutWidth: 12, widthMax: 24),
        .init(title: "TEXT", cutWidth: 20, widthMax: 100),
      ])
    for (document, paragraph) in report.paragraphs {
      table.append([
        .init("\(paragraph.id)", .sequence), .init(Numbers.grouped(paragraph.removed), .removed),
        .init(Numbers.grouped(paragraph.edits)),
        .init(path: report.documentCount > 1 ? document : ""),
        .init(excerpt: Self.joined(String(paragraph.text))),
      ])
    }
    try session.output.write("\n")
    try session.print(&table)
  }
}
