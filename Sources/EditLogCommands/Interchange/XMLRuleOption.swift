import EditModel
import Interchange

/// The rule file that verbs take with `--rule`.
enum XMLRuleOption {
  /// The rule in a file; the usual one if nil.
  ///
  /// - Throws: `CommandError` if the file cannot be read, or is not a rule.
  static func rule(_ path: String?) throws(CommandError) -> XMLRule {
    guard let path else { return .standard }
    let bytes = try InputFile.read(path, sizeMax: 1 << 20)
    do throws(InterchangeError) { return try XMLRule(bytes) } catch {
      throw .data("\(path.shown): \(error)")
    }
  }
}
