import EditModel
import Glibc
import Styling

/// A file of settings: TOML, with a key at the top level for each setting.
struct SettingsFile {
  /// The largest file in bytes.
  private static let sizeMax = 1 << 20

  let path: String
  /// The values of known keys, by name. Their kinds and ranges are not checked yet.
  private(set) var values: [String: GivenValue] = [:]
  /// Keys that are not settings, or have values that no setting takes.
  private(set) var errors: [SettingError] = []

  /// Reads a file.
  ///
  /// - Throws: `SettingError` if it cannot be read, or is not TOML.
  init(path: String) throws(SettingError) {
    self.path = path
    let text = try Self.text(path)
    let table: TOMLTable
    do throws(RulesError) { table = try TOMLReader.table(of: text) } catch {
      throw .notTOML(
        path: path, line: error.place.line, column: error.place.column, what: error.problem)
    }
    for entry in table.entries {
      guard let setting = Setting.all.first(where: { $0.name == entry.key }) else {
        errors.append(.unknownKey(path: path, key: entry.key))
        continue
      }
      guard let value = Self.given(entry.node.value) else {
        errors.append(
          .badValue(
            place: "\(path.shown): \(entry.key) is \(entry.node.kind)",
            allowed: setting.allowedInFile))
        continue
      }
      values[entry.key] = value
    }
  }

  /// Nil for arrays and tables.
  private static func given(_ value: TOMLNode.Value) -> GivenValue? {
    switch value {
    case .string(let text): .text(text)
    case .integer(let number): .number(Int(number))
    case .double(let number): .fraction(number)
    case .bool(let truth): .truth(truth)
    case .array, .table: nil
    }
  }

  private static func text(_ path: String) throws(SettingError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .unreadable(path: path, why: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    // A pipe without a writer would be read as an empty file, and one with a writer only once: the settings
    // are read again on SIGHUP. A device may be /dev/null.
    var info = stat()
    guard fstat(descriptor, &info) == 0,
      [S_IFREG, S_IFCHR].contains(info.st_mode & S_IFMT)
    else {
      throw .unreadable(
        path: path, why: "it is not a regular file, and settings are read from no other")
    }
    var bytes = [UInt8](repeating: 0, count: sizeMax + 1)
    var size = 0
    while size < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        read(descriptor, buffer.baseAddress?.advanced(by: size), buffer.count - size)
      }
      if count == 0 { break }
      guard count > 0 || errno == EINTR else {
        throw .unreadable(path: path, why: String(cString: strerror(errno)))
      }
      size += max(count, 0)
    }
    guard size <= sizeMax else {
      throw .unreadable(path: path, why: "it has more than \(sizeMax) bytes")
    }
    guard let text = String(validating: bytes.prefix(size), as: UTF8.self) else {
      throw .unreadable(path: path, why: "it is not UTF-8")
    }
    return text
  }
}
