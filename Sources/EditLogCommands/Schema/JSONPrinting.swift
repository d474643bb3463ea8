/// A verb that takes `--json`.
package protocol JSONPrinting {
  /// The kinds of lines that `--json` prints. Empty if the verb refuses `--json`.
  static var jsonLines: [JSONLine] { get }
}
