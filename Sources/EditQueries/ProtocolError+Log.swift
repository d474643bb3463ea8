public import EditLog
public import EditProtocol
import Glibc
import Projections
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
      case .io(_, _, let code) where code == EACCES || code == EPERM: .notPermitted
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

  /// Whatever came out of reading and replaying a history, as clients see it.
  package init(reading error: any Error) {
    switch error {
    case let error as ProtocolError: self = error
    case let error as LogError: self.init(error)
    case let error as ReplayError: self.init(error)
    case let error as ProjectionError: self.init(.damagedLog, "\(error)")
    default: self.init(.internalError, "\(error)")
    }
  }
}
