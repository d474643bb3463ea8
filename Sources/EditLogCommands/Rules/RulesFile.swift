import EditModel
import EditProtocol
import Styling

/// Reads the files of rules that verbs take by `--rules`.
enum RulesFile {
  /// The maximum size of a file, in bytes.
  static let sizeMax = 1 << 20

  /// The rules of a file.
  ///
  /// - Parameters:
  ///   - path: Its path; `-` is standard input. Files that it names are relative to its
  ///     folder, and must be regular files.
  ///   - document: The document to be shown. Its extension chooses the grammar, if the file names none.
  /// - Throws: `CommandError`: the file, the line, and what is wrong.
  static func read(_ path: String, for document: String = "") throws(CommandError) -> StyleRules {
    let text = try text(path)
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    var failure: CommandError?
    do throws(RulesError) {
      return try StyleRules(text, grammar: grammar(for: document)) {
        place, name throws(RulesError) in
        do throws(CommandError) {
          return try self.text(
            name.hasPrefix("/") ? name : folder + name, mustBeRegular: true)
        } catch {
          failure = error
          throw RulesError(place, error.message)
        }
      }
    } catch {
      if let failure { throw failure }
      throw .data("\(path.shown): \(error)")
    }
  }

  /// The built-in rules, with the grammar of a document's extension.
  ///
  /// - Throws: `CommandError` if the built-in files are wrong.
  static func builtIn(for document: String) throws(CommandError) -> StyleRules {
    do throws(RulesError) {
      return try StyleRules("", grammar: grammar(for: document)) { place, name throws(RulesError) in
        throw RulesError(place, "the built-in rules name the file \(name)")
      }
    } catch { throw .internalError("\(error)") }
  }

  /// The built-in grammar of a name's extension; nil if there is none.
  static func grammar(for document: String) -> String? {
    guard let dot = document.lastIndex(of: ".") else { return nil }
    return switch document[document.index(after: dot)...].lowercased() {
    case "md", "markdown": "markdown"
    case "swift": "swift"
    case "c", "h": "c"
    case "py", "pyi": "python"
    case "json", "jsonl": "json"
    default: nil
    }
  }

  static func text(
    _ path: String, mustBeRegular: Bool = false
  ) throws(CommandError) -> String {
    let bytes = try InputFile.read(path, sizeMax: sizeMax, mustBeRegular: mustBeRegular)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .data("\(path.shown): not UTF-8; save it with this encoding")
    }
    return text
  }
}
