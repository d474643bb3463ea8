import EditModel
import EditProtocol

/// The methods of the daemon.
enum DaemonMethods {
  /// The requests. Each of them is answered.
  static let requests = Set(Methods.names).union(["initialize", "shutdown"])
}

extension ProtocolError {
  /// The error for the daemon's log. Messages of errors name documents, which the log must not contain.
  var textForLog: String {
    guard let file = damagedFile else { return code.name }
    return "\(code.name), \(file)"
  }
}
