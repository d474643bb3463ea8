import EditModel
import Glibc

/// A private file with the text of a version, for a command. It is removed with this object, and if a
/// signal ends the program (``TrialSignals``).
final class VersionFile {
  /// The path of the file.
  let path: String
  private var descriptor: Int32

  /// An empty file in TMPDIR or /tmp, which only this user can read.
  ///
  /// - Throws: `CommandError` (73) if it cannot be created.
  init(extension suffix: String) throws(CommandError) {
    let folder = Terminal.environment("TMPDIR") ?? "/tmp"
    var template = Array("\(folder)/editlog-XXXXXX\(suffix)".utf8CString)
    descriptor = mkstemps(&template, Int32(suffix.utf8.count))
    let reason = errno
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else {
      throw CommandError(
        exitCode: 73,
        "cannot create a file in \(folder.shown): \(String(cString: strerror(reason))); set TMPDIR")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    TrialSignals.note(file: path)
  }

  deinit {
    close(descriptor)
    unlink(path)
    TrialSignals.note(file: nil)
  }

  /// Adds text, in UTF-8.
  ///
  /// - Throws: `CommandError` (74).
  func write(_ text: UTF16Text) throws(CommandError) {
    var bytes = Array(String(text).utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw .io("cannot write \(path.shown): \(String(cString: strerror(errno)))")
      }
      bytes = bytes.dropFirst(count)
    }
  }

  /// A descriptor that reads the file from its start. The caller closes it.
  ///
  /// - Throws: `CommandError` (74).
  func open() throws(CommandError) -> Int32 {
    let input = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else {
      throw .io("cannot read \(path.shown): \(String(cString: strerror(errno)))")
    }
    return input
  }

  /// The end of a document's name that programs know its format by, such as `.tex`; empty if it has none.
  static func suffix(of document: DocumentID) -> String {
    guard let file = document.name.utf8.split(separator: UInt8(ascii: "/")).last,
      let dot = file.lastIndex(of: UInt8(ascii: ".")), dot > file.startIndex
    else { return "" }
    let letters = file[file.index(after: dot)...]
    let isPlain = letters.allSatisfy { byte in
      let scalar = Unicode.Scalar(byte)
      return scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
    }
    return isPlain && (1...16).contains(letters.count) ? String(Substring(file[dot...])) : ""
  }
}
