import EditModel
import EditProtocol
import Rendering
import Styling
import TextGrid

/// Writes the parts of a rendered version: text part by part, a file when all parts are there.
struct RenderOutput {
  private let command: RenderCommand
  private let session: Session
  private let format: RenderCommand.Format
  private var sheets: [Sheet] = []
  private var pictures = Pictures()
  private var isFirst = true
  /// What the parts so far say about their styles.
  private var (hasInexactNumbers, hasInexactStyles) = (false, false)
  /// UTF-16 units of a paragraph that are styled; nil if no paragraph has more.
  private var styledLengthMax: Int?

  init(_ command: RenderCommand, _ session: Session) {
    (self.command, self.session) = (command, session)
    format =
      command.common.json
      ? .json : command.format ?? (session.style.isColoured ? .ansi : .text)
  }

  /// Takes a part, and writes it unless it is part of a file.
  ///
  /// - Throws: `CommandError` (64) if a file would become too large.
  mutating func add(_ part: RenderAnswer) throws {
    defer { isFirst = false }
    if let length = part.styledLengthMax { styledLengthMax = length }
    if !part.areNumbersExact { hasInexactNumbers = true }
    if !part.isStyleExact { hasInexactStyles = true }
    switch format {
    case .json: try session.printJSON(part, RenderAnswer.codec)
    case .text:
      for (index, sheet) in part.sheets.enumerated() {
        try session.output.write(
          TextRenderer().render(self.sheet(sheet), isFirst: isFirst && index == 0))
      }
    case .ansi:
      let renderer = ANSIRenderer(mode: command.background == .dark ? .dark : .light)
      for (index, sheet) in part.sheets.enumerated() {
        try session.output.write(renderer.render(self.sheet(sheet), isFirst: isFirst && index == 0))
      }
    case .html, .svg:
      for sheet in part.sheets.map({ self.sheet($0) }) {
        if sheet.page == nil, !sheets.isEmpty {
          sheets[0].append(sheet)
        } else {
          sheets.append(sheet)
        }
      }
      let count = sheets.reduce(0) { $0 + $1.rows.count }
      guard count <= RenderCommand.fileRowsMax else {
        throw CommandError.usage(
          """
          the \(format.rawValue) file would have more than \(RenderCommand.fileRowsMax) rows; show \
          a part of the document with \(command.hasPages ? "--pages" : "--rows")
          """)
      }
    }
  }

  private func sheet(_ sheet: RenderedSheet) -> Sheet {
    Sheet(sheet, holes: command.hole.map { CellRectangle($0.rectangle) })
  }

  /// Attachments that are asked for, at most.
  private static let picturesMax = 256

  /// Asks for the pictures of the attachments of a file. Those that are too large or not in the store are
  /// left out: their frames have their names.
  mutating func addPictures(_ reading: ReadingOptions) async {
    guard format == .html || format == .svg else { return }
    // Nil for an attachment without a picture.
    var (sizes, rest): ([AttachmentDigest: Int?], Int) = ([:], Pictures.totalSizeMax)
    for attachment in sheets.flatMap(\.attachments).map(\.attachment) {
      guard let digest = attachment.digest, attachment.byteCount ?? 0 <= Pictures.sizeMax else {
        continue
      }
      if sizes[digest] == nil {
        guard sizes.count < Self.picturesMax, rest > 0 else { return }
        let answer = try? await session.ask(command.name, reading) {
          AttachmentRequest($0, digest)
        }
        let content = answer?.content ?? []
        let isAdded =
          content.count <= rest
          && pictures.add(content, base64: Base64.encode(content), of: digest)
        sizes[digest] = .some(isAdded ? content.count : nil)
      }
      if let size = sizes[digest], let size { rest -= size }
    }
  }

  /// Writes a file, and says what comes after the last page.
  func finish(_ last: RenderAnswer) throws {
    let document = RenderedDocument(
      title: (session.documents[command.name]?.argument ?? command.name).shown,
      subtitle: "version \(last.sequence)")
    let note = last.overflow.map { Self.note(of: $0) }
    switch format {
    case .html:
      try session.output.write(
        HTMLRenderer(document, pictures: pictures).render(sheets, note: note))
    case .svg: try session.output.write(SVGRenderer(document, pictures: pictures).render(sheets))
    case .text, .ansi, .json: break
    }
    if let note { session.note(note) }
    if let styledLengthMax {
      session.note(
        """
        a paragraph has the styles of the rules in its first \(Numbers.grouped(styledLengthMax)) UTF-16 \
        units only
        """)
    }
    if hasInexactStyles {
      session.note("comments and fences that begin far before the first row may not be known")
    }
    if hasInexactNumbers {
      session.note(
        """
        the list at the first row begins more than \(Numbers.grouped(ListNumbering.lookBackMax)) \
        paragraphs before, so its numbers may be too small; show it from its start
        """)
    }
  }

  private static func note(of overflow: RenderAnswer.Overflow) -> String {
    let units = Numbers.grouped(overflow.units)
    let paragraphs =
      overflow.paragraphs == 1
      ? "1 paragraph" : "\(Numbers.grouped(overflow.paragraphs)) paragraphs"
    return "not shown: \(units) UTF-16 units in \(paragraphs) after the last page"
  }
}
