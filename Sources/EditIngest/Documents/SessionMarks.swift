import EditModel
import EditLog

/// The last logged request of each session of a document. Most edits of a document are of one session,
/// so the one that was changed last is kept apart.
struct SessionMarks {
  private var marks: [SessionID: SessionMark]
  private var newest: (session: SessionID, mark: SessionMark)?

  init(_ marks: [SessionID: SessionMark]) { self.marks = marks }

  /// An estimate of the memory in bytes: a name and a mark for each session. O(1).
  var size: Int { marks.count * 128 }

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
