import EditModel
import EditLog

/// The last logged request of each session of a document. Most edits of a document are of one session,
/// so the one that was changed last is kept apart.
struct SessionMarks {
  private var marks: [SessionID: SessionMark]
  private var newest: (session: SessionID, mark: SessionMark)?

  init(_ marks: [SessionID: SessionMark]) { self.marks = marks }

  /// The mark of a session.
  subscript(session: SessionID) -> SessionMark? {
    get {
      if let newest, newest.session == session { return newest.mark }
      return marks[session]
    }
    set {
      if let newest, newest.session != session { marks[newest.session] = newest.mark }
      newest = newValue.map { (session, $0) }
    }
  }
}
