import ArgumentParser
import EditModel
import EditProtocol

/// Options that every verb has.
package struct CommonOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Ask the daemon at this socket. Without --socket and --store, the daemon is asked if it \
      listens. (default: \(StandardPlaces.socketDefault))
      """, valueName: "path"),
    completion: .file())
  var socket: String?

  @Option(
    help: ArgumentHelp(
      "Read the files of this store; needs no daemon. (default: \(StandardPlaces.storeDefault))",
      valueName: "dir"),
    completion: .directory)
  var store: String?

  @Flag(help: "Print JSON Lines: one object per line, with \"v\": 1.")
  package var json = false

  @Option(help: ArgumentHelp("Use colours: auto, always or never.", valueName: "when"))
  var color = ColorChoice.auto

  @Flag(help: "Do not page the output.")
  var noPager = false

  @Flag(help: "Print times in UTC, and read those without a zone so.")
  var utc = false

  package func validate() throws {
    if socket != nil, store != nil {
      throw ValidationError("--socket and --store exclude each other.")
    }
  }

  package init() {}

  /// Seconds by which the times that are printed and read are ahead of UTC.
  var utcOffset: @Sendable (Int64) -> Int {
    guard utc else { return SystemTime.utcOffset }
    return { _ in 0 }
  }

  func location() -> Location { Location(socket: socket, store: store) }
}

extension ColorChoice: ExpressibleByArgument {}
