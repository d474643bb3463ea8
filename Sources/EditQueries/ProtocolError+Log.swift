public import EditLog
import EditModel
public import EditProtocol
public import Replay

extension ProtocolError {
  /// A store's error as clients see it.
  public init(_ error: LogError) {
    let code: Code =
      switch error {
      case .noStore: .storeUnreadable
      case .newerFormat: .newerFormat
      case .locked: .overloaded
      case .damaged: .damagedLog
      case .noSpace: .noSpace
      case .poisoned, .io: .storeUnreadable
      case .refused: .notPermitted
      }
    self.init(code, "\(error)")
  }

  /// A replay's error as clients see it.
  public init(_ error: ReplayError) {
    switch error {
    case .log(let error): self.init(error)
    case .beyondHistory, .unknownMark: self.init(.unknownPoint, "\(error)")
    case .gap, .unfitEdit: self.init(.damagedLog, "\(error)")
    }
  }
}
