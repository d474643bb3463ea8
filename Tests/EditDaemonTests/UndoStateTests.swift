import DaemonTestSupport
import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

/// `undoState` of `editlog/subscribe`.
@Suite(.timeLimit(.minutes(10))) struct UndoStateTests {
  private func paste(_ text: String, at place: Int = 0) -> AppendEdit {
    var edit = put(text, at: place)
    edit.origin = .paste
    return edit
  }

  private func state(_ sequence: SequenceNumber, _ undoable: Bool, _ redoable: Bool) -> UndoState {
    UndoState(sequence: sequence, isUndoable: undoable, isRedoable: redoable)
  }

  /// Type, undo to the start, redo, type, undo of a selection.
  @Test func eachFlipIsTold() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", paste("one"))
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(document("a"), undoState: true))
      #expect(subscriber.answer.undoState == state(1, true, false))
      func undo(_ method: String, _ params: JSONObject = [:]) async throws {
        var params = params
        params["document"] = "a"
        _ = try await client.call(method, .object(params))
      }
      // Each change waits for the delivery of the one before it, so that no two are delivered together.
      _ = try await client.append("a", paste("two"))
      #expect(try await subscriber.states(through: 2) == [])
      try await undo("editlog/undo")
      #expect(try await subscriber.states(through: 3) == [state(3, true, true)])
      try await undo("editlog/undo")
      #expect(try await subscriber.states(through: 4) == [state(4, false, true)])
      try await undo("editlog/redo")
      #expect(try await subscriber.states(through: 5) == [state(5, true, true)])
      try await undo("editlog/redo")
      #expect(try await subscriber.states(through: 6) == [state(6, true, false)])
      try await undo("editlog/undo")
      #expect(try await subscriber.states(through: 7) == [state(7, true, true)])
      _ = try await client.append("a", paste("three"))
      #expect(try await subscriber.states(through: 8) == [state(8, true, false)])
      try await undo("editlog/undo", ["selection": ["through": 1]])
      // An undo of a selection is a step, so that there is something to undo still. Redo brings the
      // selection back, once.
      #expect(try await subscriber.states(through: 9) == [state(9, true, true)])
      try await undo("editlog/redo")
      #expect(try await subscriber.states(through: 10) == [state(10, true, false)])
      try await undo("editlog/undo", ["selection": ["through": 1]])
      #expect(try await subscriber.states(through: 11) == [state(11, true, true)])
      try await undo("editlog/undo")
      #expect(try await subscriber.states(through: 12) == [])
      await subscriber.client.close()
    }
  }

  @Test func allDocumentsAreTold() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", paste("one"))
      _ = try await client.call("editlog/undo", ["document": "a"])
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(nil, from: HistoryPosition(), undoState: true))
      #expect(subscriber.answer.undoState == nil)
      #expect(try await subscriber.states(through: 2) == [state(2, false, true)])
      _ = try await client.append("b", put("x"))
      let delivery = try await subscriber.next()
      #expect(delivery.document == document("b") && delivery.undoState == state(1, true, false))
      _ = try await client.append("a", put("x"))
      #expect(try await subscriber.states(through: 3) == [state(3, true, false)])
      await subscriber.client.close()
    }
  }

  /// The answer has the state at the first place, and a snapshot that of its version.
  @Test func aSnapshotHasTheState() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", paste("one"))
      var subscriber = try await Subscriber(
        daemon,
        SubscribeRequest(
          document("a"), from: HistoryPosition(), credit: 0, snapshotAfter: 1, undoState: true))
      #expect(subscriber.answer.undoState == state(0, false, false))
      _ = try await client.append("a", paste("two"))
      _ = try await client.call("editlog/undo", ["document": "a"])
      _ = try await subscriber.client.call(CreditRequest(subscription: 1, credit: 1_000))
      let snapshot = try await subscriber.next()
      #expect(snapshot.isSnapshot && snapshot.undoState == state(3, true, true))
      _ = try await client.append("a", paste("x"))
      #expect(try await subscriber.states(through: 4) == [state(4, true, false)])
      await subscriber.client.close()
    }
  }

  @Test func othersAreNotTold() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", paste("one"))
      var subscriber = try await Subscriber(
        daemon, SubscribeRequest(document("a"), from: HistoryPosition()))
      #expect(subscriber.answer.undoState == nil)
      #expect(try await subscriber.states(through: 1) == [])
      await subscriber.client.close()
    }
  }
}
