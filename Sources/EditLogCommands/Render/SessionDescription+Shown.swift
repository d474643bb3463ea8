import EditModel

extension SessionDescription {
  private static let nameMax = 40

  /// The client in words: `Neovim 0.7.2 on desk, process 4711`.
  var shown: String {
    func name(_ name: String) -> String { Excerpt.name(name, width: Self.nameMax) }
    return name(client) + (version.map { " " + name($0) } ?? "")
      + (host.map { " on " + name($0) } ?? "") + (process.map { ", process \($0)" } ?? "")
  }
}
