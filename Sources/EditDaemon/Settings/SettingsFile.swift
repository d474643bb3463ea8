import Configuration
import EditModel
import Glibc
import TOMLKit

/// A file of settings: TOML, with a key at the top level for each setting.
struct SettingsFile {
  /// The largest file in bytes.
  private static let sizeMax = 1 << 20

  let path: String
  /// The values of known keys, by name. Their kinds and ranges are not checked yet.
  private(set) var values: [String: ConfigContent] = [:]
  /// Keys that are not settings, or have values that no setting takes.
  private(set) var errors: [SettingError] = []

  /// Reads a file.
  ///
  /// - Throws: `SettingError` if it cannot be read, or is not TOML.
  init(path: String) throws(SettingError) {
    self.path = path
    let table: TOMLTable
    do {
      table = try TOMLTable(string: try Self.text(path))
    } catch let error as TOMLParseError {
      throw .notTOML(
        path: path, line: error.source.begin.line, column: error.source.begin.column,
        what: error.description)
    } catch let error as SettingError { throw error } catch {
      throw .unreadable(path: path, why: "\(error)")
    }
    for key in table.keys.sorted() {
      guard let value = table[key] else { continue }
      guard let setting = Setting.all.first(where: { $0.name == key }) else {
        errors.append(.unknownKey(path: path, key: key))
        continue
      }
      guard let content = Self.content(value) else {
        errors.append(
          .badValue(
            place: "\(path.shown): \(key) is of the type \(value.type)",
            allowed: setting.allowedInFile))
        continue
      }
      values[key] = content
    }
  }

  /// A value of a type that swift-configuration knows. Nil for dates, arrays and tables.
  private static func content(_ value: any TOMLValueConvertible) -> ConfigContent? {
    switch value.type {
    case .string: value.string.map { .string($0) }
    case .int: value.int.map { .int($0) }
    case .double: value.double.map { .double($0) }
    case .bool: value.bool.map { .bool($0) }
    default: nil
    }
  }

  private static func text(_ path: String) throws(SettingError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .unreadable(path: path, why: String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
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
