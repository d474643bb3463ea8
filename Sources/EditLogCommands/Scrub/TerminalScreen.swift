import CNcurses
import EditModel
import EditProtocol
import Glibc
import Scrubbing

/// The terminal, drawn on by ncurses. Used on one thread.
///
/// ncurses knows the sequences of each terminal, reads keys and the mouse, and sends only the cells that
/// changed. Nothing but the cells of frames is ever sent, so a document cannot control the terminal.
final class TerminalScreen {
  private let handle: OpaquePointer
  private let (input, output): (UnsafeMutablePointer<FILE>, UnsafeMutablePointer<FILE>)
  private let (isColoured, usesMouse): (Bool, Bool)
  private var shown: ScrubFrame?
  private var isPressed = false
  /// True if the terminal said that it can show all of a frame at once (mode 2026).
  private var isSynchronized = false
  private var clusters = TerminalClusters()

  /// The terminal's descriptor.
  let descriptor: Int32

  /// Takes the terminal of this process.
  ///
  /// - Throws: `CommandError` (69) if there is none, or ncurses does not know it.
  init(isColoured: Bool, usesMouse: Bool) throws(CommandError) {
    guard let output = fopen("/dev/tty", "w"), let input = fopen("/dev/tty", "r") else {
      throw .unavailable("scrub needs a terminal; --plain works without")
    }
    // Widths of characters and the encoding of keys. Messages stay as they are.
    setlocale(LC_CTYPE, "C.UTF-8")
    let name = Terminal.environment("TERM") ?? ""
    guard let handle = newterm(nil, output, input) else {
      fclose(output)
      fclose(input)
      throw .unavailable(
        "the terminal \(name.shown) is not known; set TERM, or give --plain")
    }
    (self.handle, self.input, self.output) = (handle, input, output)
    (descriptor, self.usesMouse) = (fileno(input), usesMouse)
    raw()
    noecho()
    nonl()
    let window = editlog_window()
    keypad(window, true)
    nodelay(window, true)
    // A key that begins with Escape comes at once.
    set_escdelay(25)
    self.isColoured = isColoured && has_colors() && start_color() == OK
    if self.isColoured {
      use_default_colors()
      for (index, colour) in Self.colours.enumerated() {
        init_pair(Int16(index + 1), Int16(colour), -1)
      }
    }
    useMouse()
    refresh()
    ask(name)
  }

  /// Gives the terminal back as it was.
  func close() {
    leave()
    delscreen(handle)
    fclose(output)
    fclose(input)
  }

  private func leave() {
    if usesMouse { send("\u{1B}[?1002l") }
    // A terminal without a second screen shows what comes next on the last row.
    move(editlog_rows() - 1, 0)
    clrtoeol()
    refresh()
    endwin()
  }

  private func useMouse() {
    guard usesMouse else { return }
    editlog_use_mouse()
    // Also moves while a button is down (xterm's "button event tracking").
    send("\u{1B}[?1002h")
  }

  /// Asks whether the terminal can show all of a frame at once, and which characters it shows in two cells.
  /// ncurses sends a frame in several writes, which a terminal may show one by one. The answers come as keys,
  /// so nothing waits for them.
  private func ask(_ name: String) {
    // Consoles that know no questions may print this one.
    guard !["linux", "vt", "cons"].contains(where: name.hasPrefix) else { return }
    editlog_define_answers()
    editlog_define_cursor()
    send("\u{1B}[?2026$p" + clusters.question)
    // Other terminals print a part of it, which the first frame removes.
    clearok(editlog_terminal(), true)
  }

  private func send(_ sequence: String) {
    fputs(sequence, output)
    fflush(output)
  }

  // MARK: - Size

  /// The size of the terminal now.
  func readSize() -> ScrubSize {
    var size = winsize()
    if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
      if editlog_rows() != Int32(size.ws_row) || editlog_columns() != Int32(size.ws_col) {
        resizeterm(Int32(size.ws_row), Int32(size.ws_col))
        shown = nil
      }
    }
    return ScrubSize(columns: Int(editlog_columns()), rows: Int(editlog_rows()))
  }

  /// Draws all cells again with the next frame.
  func redraw() {
    shown = nil
    clearok(editlog_terminal(), true)
  }

  /// Gives the terminal back and stops the process, until the shell continues it.
  func suspend() {
    leave()
    TerminalSignals.stop()
    refresh()
    useMouse()
    redraw()
  }

  // MARK: - Cells

  /// Colours of the eight: of added, deleted, a warning, an accent, and of six writers.
  private static let colours = [2, 1, 3, 6, 4, 2, 5, 6, 3, 1]

  /// Draws the cells that changed.
  func draw(_ frame: ScrubFrame) {
    guard shown != frame else { return }
    if shown?.size != frame.size { erase() }
    if isSynchronized { send("\u{1B}[?2026h") }
    defer { if isSynchronized { send("\u{1B}[?2026l") } }
    var written: [TerminalClusters.Written] = []
    for row in 0..<frame.size.rows {
      for column in 0..<frame.size.columns {
        let cell = frame[column, row]
        if cell.text.isEmpty { continue }
        let width = frame.width(column, row)
        // A shorter one fits into the cells of ncurses.
        if width > 1, cell.text.utf8.count > 3, isWritten(cell.text, width: width) {
          written.append(
            TerminalClusters.Written(
              row: row, column: column, text: cell.text, width: width,
              looks: Self.looks(cell.look), colour: colour(cell.look.colour)))
        }
        if let shown, shown.size == frame.size, shown[column, row] == cell {
          // A cell that became the first one of several is drawn again.
          if shown.width(column, row) == width { continue }
        }
        put(cell, row, column, width: width)
      }
    }
    move(Int32(frame.caret.row), Int32(frame.caret.column))
    shown = frame
    refresh()
    // ncurses may have drawn any of their cells again.
    let sequence = TerminalClusters.writing(written)
    if !sequence.isEmpty { send(sequence) }
  }

  /// True if a character of several cells is written after the frame.
  private func isWritten(_ text: String, width: Int) -> Bool {
    TerminalClusters.scalars(text, width: width) == nil && clusters.canWrite(text, width: width)
  }

  private static func looks(_ look: ScrubLook) -> Int32 {
    (look.isBold ? 1 : 0) | (look.isDim ? 2 : 0) | (look.isReversed ? 4 : 0)
      | (look.isUnderlined ? 8 : 0)
  }

  private func put(_ cell: ScrubCell, _ row: Int, _ column: Int, width: Int) {
    let look = cell.look
    let looks = Self.looks(look)
    // A character that is not whole, or that the terminal would give another width, is replaced: nothing else
    // is shown in its place, and nothing beside it moves.
    let scalars =
      TerminalClusters.scalars(cell.text, width: width)
      ?? (clusters.canWrite(cell.text, width: width) ? TerminalClusters.cover : [0xFFFD, 0])
    let isCover = scalars == TerminalClusters.cover
    // The terminal's own idea of the width may be less.
    let own = min(max(1, Int(wcwidth(scalars.first ?? 0x20))), width)
    for index in [0] + (own..<max(own, width)) {
      (index == 0 || isCover ? scalars : [0x20, 0]).withUnsafeBufferPointer {
        editlog_put(Int32(row), Int32(column + index), $0.baseAddress, looks, pair(look.colour))
      }
    }
  }

  /// The terminal's number of a colour.
  private func colour(_ colour: ScrubLook.Colour) -> Int? {
    let pair = Int(pair(colour))
    return pair == 0 ? nil : Self.colours[pair - 1]
  }

  private func pair(_ colour: ScrubLook.Colour) -> Int16 {
    guard isColoured else { return 0 }
    switch colour {
    case .plain: return 0
    case .added: return 1
    case .deleted: return 2
    case .warning: return 3
    case .accent: return 4
    case .writer(let number): return Int16(5 + number % 6)
    }
  }

  /// Puts a text into the terminal's clipboard (OSC 52). The text is sent as Base64.
  func copy(_ text: String) {
    send("\u{1B}]52;c;\(Base64.encode(Array(text.utf8)))\u{07}")
  }

  // MARK: - Keys

  /// Discards typed keys that were not read yet.
  func dropKeys() { flushinp() }

  /// The next key or event of the mouse; nil if there is none now.
  func nextInput() -> ScrubInput? {
    var key = wint_t()
    while true {
      switch editlog_key(&key) {
      case ERR: return nil
      case KEY_CODE_YES:
        if Int32(bitPattern: key) == KEY_MOUSE {
          if let event = nextMouse() { return .mouse(event) }
        } else if Int32(bitPattern: key) == editlog_synchronized_key() {
          isSynchronized = true
        } else if let column = Self.cursorColumn(Int32(bitPattern: key)) {
          clusters.note(column: column)
          shown = nil
        } else if let named = Self.named[Int32(bitPattern: key)] {
          return .key(named)
        }
      default:
        if let typed = ScrubKey(typed: UInt32(key)) { return .key(typed) }
      }
    }
  }

  /// The column of an answer where the cursor is; nil if the key is none.
  private static func cursorColumn(_ key: Int32) -> Int32? {
    let column = key - editlog_cursor_key()
    return (1...EDITLOG_ANSWER_MAX).contains(column) ? column : nil
  }

  private func nextMouse() -> ScrubMouse? {
    var (row, column) = (Int32(0), Int32(0))
    let kind: ScrubMouse.Kind
    switch editlog_mouse(&row, &column) {
    case 1: (kind, isPressed) = (.press, true)
    case 2:
      isPressed = false
      return nil
    case 3:
      guard isPressed else { return nil }
      kind = .drag
    case 4: kind = .wheelUp
    case 5: kind = .wheelDown
    default: return nil
    }
    return ScrubMouse(kind, column: Int(column), row: Int(row))
  }

  private static let named: [Int32: ScrubKey] = [
    KEY_UP: .up, KEY_DOWN: .down, KEY_LEFT: .left, KEY_RIGHT: .right, KEY_SLEFT: .shiftLeft,
    KEY_SRIGHT: .shiftRight, KEY_NPAGE: .pageDown, KEY_PPAGE: .pageUp, KEY_HOME: .home,
    KEY_END: .end, KEY_BACKSPACE: .backspace, KEY_ENTER: .enter,
  ]
}

extension ScrubKey {
  /// The key of a character that a terminal sent; nil if it is none.
  init?(typed value: UInt32) {
    switch value {
    case 0x0A, 0x0D: self = .enter
    case 0x08, 0x7F: self = .backspace
    case 0x09: self = .tab
    case 0x1B: self = .escape
    case 0x01..<0x1B:
      guard let letter = Unicode.Scalar(value + 0x60) else { return nil }
      self = .control(Character(letter))
    default:
      guard value >= 0x20, let scalar = Unicode.Scalar(value),
        scalar.properties.generalCategory != .control
      else { return nil }
      self = .character(Character(scalar))
    }
  }
}
