import EditModel
import EditProtocol
import Styling

extension RulesFile {
  /// The rules of a file, checked, with the texts of all files that it names: for a call that another
  /// process answers.
  ///
  /// - Parameters:
  ///   - path: Its path; `-` is standard input. Files that it names are relative to its folder.
  ///   - grammar: The grammar that holds if the file names none; nil for that of the document's
  ///     extension.
  ///   - document: The document to be shown.
  /// - Throws: `CommandError`: the file, the line, and what is wrong.
  static func request(
    _ path: String, grammar: String?, for document: String
  ) throws(CommandError) -> RenderRules {
    var rules = RenderRules(
      text: try text(path), grammar: grammar ?? self.grammar(for: document))
    let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
    var failure: CommandError?
    do throws(RulesError) {
      _ = try StyleRules(rules.text, grammar: rules.grammar) { place, name throws(RulesError) in
        do throws(CommandError) {
          let text = try self.text(name.hasPrefix("/") ? name : folder + name)
          rules.files.append(RenderRules.File(name: name, text: text))
          return text
        } catch {
          failure = error
          throw RulesError(place, error.message)
        }
      }
    } catch {
      if let failure { throw failure }
      throw .data("\(path.shown): \(error)")
    }
    return rules
  }
}
