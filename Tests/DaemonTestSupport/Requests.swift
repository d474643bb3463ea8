import EditModel
package import EditProtocol

/// An edit that replaces `length` units at `location` by `text`.
package func put(
  _ text: String, at location: Int = 0, over length: Int = 0, time: Int64? = nil,
  transaction: Int64? = nil
) -> AppendEdit {
  AppendEdit(
    action: EditAction(
      replacing: UTF16Range(location..<location + length), with: UTF16Text(text)),
    time: time.map { Timestamp(nanoseconds: $0) }, transaction: transaction)
}

package func ticket(_ counter: UInt64, of session: String = "run") throws -> RequestTicket {
  guard let session = SessionID(session) else {
    throw TestFailure(what: "not a session: \(session)")
  }
  return RequestTicket(session: session, counter: counter)
}

/// The error of a call. Returns nil if the call succeeds.
package func refusal(_ body: () async throws -> some Any) async -> ProtocolError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? ProtocolError
  }
}
