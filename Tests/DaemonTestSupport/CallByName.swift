package import EditJSON
package import EditProtocol
package import EditQueries

extension QueryEngine {
  /// The answer to a call, with params and an answer as they are sent over the socket.
  package func answer(_ method: String, _ params: JSON) async throws(ProtocolError) -> JSON {
    guard let question = try Methods.request(method, params) as? any Question else {
      throw .methodNotFound(method)
    }
    return try await json(question)
  }

  private func json<Q: Question>(_ question: Q) async throws(ProtocolError) -> JSON {
    Q.answerCodec.encode(try await answer(question))
  }
}
