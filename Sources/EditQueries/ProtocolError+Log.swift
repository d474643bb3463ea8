package import EditLog
package import EditModel
package import EditProtocol
import Glibc
import Projections
package import Replay

extension ProtocolError {
  /// A store's error, for clients.
  package init(_ error: LogError) {
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
    if case .damaged(let file, let offset, _) = error {
      setDamage(file: file, offset: offset)
    }
  }

  /// A replay's error, for clients. Edits that cannot be replayed are damage of a file of
  /// `history`.
  package init(_ error: ReplayError, of history: History) {
    guard let damage = error.damage(of: history) else {
      self.init(.unknownPoint, "\(error)")
      return
    }
    self.init(damage)
  }

  /// An error of reading and replaying `history`, for clients.
  package init(reading error: any Error, of history: History) {
    switch error {
    case let error as ReplayError: self.init(error, of: history)
    case let error as ProjectionError:
      self.init(
        LogError.damaged(
          file: history.file(of: error.sequence ?? history.lastSequence), offset: 0,
          what: "\(error)"))
    default: self.init(reading: error)
    }
  }

  /// An error of reading the log, for clients.
  package init(reading error: any Error) {
    switch error {
    case let error as ProtocolError: self = error
    case let error as LogError: self.init(error)
    default: self.init(.internalError, "\(error)")
    }
  }

  /// This error; if it is damage without a document, with the name of `document` added. The log's
  /// errors name only files.
  package func about(_ document: DocumentID) -> Self {
    guard code == .damagedLog, !namesDocument else { return self }
    var error = self
    error.message = "\(document.shown) cannot be read: \(message)"
    error.setDamage(of: document)
    return error
  }

  /// Damage by which `document` lost entries. `message` makes the sentence from the file's name;
  /// `quarantined` are the names of the files in quarantine.
  package static func loss(
    _ loss: HistoryDamage, of document: DocumentID, in quarantined: [String],
    _ message: (String) -> String
  ) -> Self {
    let file = loss.file(quarantined: quarantined)
    var error = damagedLog(message(file))
    error.setDamage(of: document, file: file, after: loss.after)
    return error
  }

  /// The refusal of edits without `base` to a document whose last edits may be lost with a journal.
  package static func doubtful(
    _ document: DocumentID, after sequence: SequenceNumber, _ losses: [StoreLoss]
  ) -> Self {
    let loss = losses.first(where: \.mayConcernAnyDocument)
    var error = damagedLog(
      """
      acknowledged edits are lost (\(loss?.description ?? "")), and some of them may have been edits \
      of \(document.shown) after edit \(sequence), so these edits may not fit; to append them \
      nevertheless, send them with base \(sequence) (`editlog append --base \(sequence)`), or \
      accept the loss with `editlog repair --accept-loss`
      """)
    error.setDamage(of: document, file: loss?.file ?? "", after: sequence)
    return error
  }
}
