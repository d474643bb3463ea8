import EditModel
import EditProtocol
import FileWatch

/// Collects facts about files, so that a change of many files is reported on one line.
struct WatchReport {
  /// A fact about a file. The text follows the number or the name of the files.
  enum Fact: Hashable {
    case binary
    case notUTF8
    case notAsMarked(TextEncoding)
    case tooLarge
    case unreadable(SystemError)
    /// The file is gone, and its document stays.
    case gone
    /// The file has another name now, and its document too.
    case renamed
    /// The file has another name now. The document of the old name stays: an editor has it open, or there
    /// is a document of the new name.
    case keptName
    /// It is always changed again before it can be read.
    case busy
    /// It was compared while an editor has it open.
    case open
    /// The daemon refused the edits, or the path is no name.
    case refused(String)
    case begun
    case changed

    fileprivate func text(_ count: Int, sizeMax: Int, _ encoding: TextEncoding?) -> String {
      switch self {
      case .binary: (count == 1 ? "is" : "are") + " binary: NUL bytes; skipped"
      case .notUTF8:
        if let encoding {
          (count == 1 ? "is neither UTF-8 nor " : "are neither UTF-8 nor ") + encoding.name
            + "; skipped"
        } else {
          (count == 1 ? "is" : "are")
            + " not UTF-8; skipped (--encoding NAME reads it, such as --encoding windows-1252)"
        }
      case .notAsMarked(let mark):
        count == 1
          ? "is not \(mark.name): its byte order mark names that, but not all of it is text; skipped"
          : "are not \(mark.name): their byte order marks name that, but not all of them is text; skipped"
      case .tooLarge:
        (count == 1 ? "is" : "are") + " larger than \(Numbers.size(sizeMax)) (--max-size); skipped"
      case .unreadable(let error): "cannot be read: \(error)"
      case .gone:
        (count == 1 ? "is gone; its document stays" : "are gone; their documents stay")
      case .renamed:
        count == 1
          ? "was renamed, and its document too" : "were renamed, and their documents too"
      case .keptName:
        count == 1
          ? "was renamed; its document keeps the old name"
          : "were renamed; their documents keep the old names"
      case .busy: (count == 1 ? "changes" : "change") + " all the time; skipped"
      case .open:
        (count == 1 ? "is" : "are") + " open in an editor, and will be compared when closed"
      case .refused(let why): "cannot be logged: \(why)"
      case .begun: count == 1 ? "is new; its text was logged" : "are new; their texts were logged"
      case .changed:
        count == 1
          ? "has changed; the difference was logged" : "have changed; the differences were logged"
      }
    }

    /// The reason, if the file is skipped.
    fileprivate var reason: SkippedFiles.Reason? {
      switch self {
      case .binary: .binary
      case .notUTF8, .notAsMarked: .notUTF8
      case .tooLarge: .tooLarge
      case .unreadable: .unreadable
      case .refused: .refused
      case .gone, .renamed, .keptName, .busy, .open, .begun, .changed: nil
      }
    }

    /// True if it stays true while the file does not change, so that it is printed once.
    fileprivate var isState: Bool {
      switch self {
      case .binary, .notUTF8, .notAsMarked, .tooLarge, .unreadable, .refused, .open: true
      case .gone, .renamed, .keptName, .busy, .begun, .changed: false
      }
    }
  }

  /// The files that were said to be skipped, and are so yet. O(files of which a fact was said).
  var skipped: SkippedFiles {
    var skipped = SkippedFiles()
    for fact in said.values { if let reason = fact.reason { skipped[reason] += 1 } }
    return skipped
  }

  private let sizeMax: Int
  private let encoding: TextEncoding?
  private let note: @Sendable (String) -> Void
  private var facts: [(fact: Fact, paths: [String])] = []
  /// What was said last about files.
  private var said: [ExactString: Fact] = [:]
  /// The last line about the daemon or the system.
  private var lastLine: String?

  /// Lines of one kind that are printed one for each file.
  private static let lineCountMax = 3

  /// A report that says sizes above `sizeMax` are skipped, and texts that are neither UTF-8 nor of `encoding`.
  init(sizeMax: Int, encoding: TextEncoding? = nil, note: @escaping @Sendable (String) -> Void) {
    (self.sizeMax, self.encoding, self.note) = (sizeMax, encoding, note)
  }

  /// Adds a fact, unless it was said of this file last.
  mutating func add(_ fact: Fact, _ path: String) {
    guard said[path] != fact else { return }
    said[path] = fact.isState ? fact : nil
    if let index = facts.firstIndex(where: { $0.fact == fact }) {
      facts[index].paths.append(path)
    } else {
      facts.append((fact, [path]))
    }
  }

  /// Forgets what was said of a file, because it is no longer so.
  mutating func clear(_ path: String) { said[path] = nil }

  /// Prints the facts that were added.
  mutating func print() {
    for (fact, paths) in facts {
      if paths.count <= Self.lineCountMax {
        for path in paths { note("\(path.shown) \(fact.text(1, sizeMax: sizeMax, encoding))") }
      } else {
        note(
          "\(Numbers.grouped(paths.count)) files \(fact.text(paths.count, sizeMax: sizeMax, encoding)); "
            + "one of them: \(paths[0].shown)")
      }
    }
    facts = []
  }

  /// True after a line about the daemon.
  var isWaiting: Bool { lastLine != nil }

  /// Prints a line about the daemon, unless it is the line that was printed last.
  mutating func say(_ line: String) {
    guard line != lastLine else { return }
    lastLine = line
    note(line)
  }

  /// Forgets the last line about the daemon, because it is no longer so.
  mutating func clearLine() { lastLine = nil }

  /// Prints the notes about folders.
  mutating func print(_ notes: [TreeNote]) {
    var (shown, rest) = ([TreeNote: Int](), 0)
    for treeNote in notes {
      guard shown.count < 2 * Self.lineCountMax || shown[treeNote] != nil else {
        rest += 1
        continue
      }
      shown[treeNote, default: 0] += 1
      if shown[treeNote] == 1 { note(Self.line(treeNote)) }
    }
    if rest > 0 { note("\(Numbers.grouped(rest)) more notes about folders") }
  }

  private static func line(_ note: TreeNote) -> String {
    switch note {
    case .eventsLost:
      "too many changes at once, and the system lost some; all files are compared again"
    case .watchLimit(let count, let example):
      """
      \(Numbers.grouped(count)) folders are not watched, because fs.inotify.max_user_watches is \
      reached; one of them: \(example.shown). Their files were compared once. Raise the limit with \
      `sudo sysctl fs.inotify.max_user_watches=1048576` (put the setting into /etc/sysctl.d to keep \
      it), or leave folders out with --exclude, and start again
      """
    case .linksSkipped(1, let link):
      "the symbolic link \(link.shown) is not followed; give its path to watch what it leads to"
    case .linksSkipped(let count, let example):
      """
      \(Numbers.grouped(count)) symbolic links in folders are not followed; one of them: \(example.shown). Give \
      the path of a link to watch what it leads to
      """
    case .folderUnreadable(let path, let error): "\(path.shown) cannot be watched: \(error)"
    case .namesSkipped(let folder, let count):
      "names in \(folder.shown) are not UTF-8; \(count) skipped"
    case .gone(let path): "\(path.shown) is gone; the documents of its files stay"
    case .folderMoved(let old, let new):
      "\(old.shown) is now \(new.shown)"
    }
  }
}

extension SkippedFiles.Reason {
  /// The end of a sentence about files.
  var words: String {
    switch self {
    case .binary: "binary"
    case .notUTF8: "not UTF-8"
    case .tooLarge: "too large"
    case .unreadable: "unreadable"
    case .refused: "refused"
    case .nameNotUTF8: "of a name that is not UTF-8"
    case .symbolicLink: "not followed as a symbolic link"
    }
  }
}
