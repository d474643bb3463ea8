import EditModel
import EditProtocol
import EditQueries

extension Session {
  /// Asks the same question about many documents, in pages. If the daemon is too old for such questions, each document
  /// must be asked about alone.
  ///
  /// - Parameters:
  ///   - documents: The names, in the order in which they are asked about.
  ///   - question: The question about some of the documents; nil if each must be asked about alone.
  ///   - body: Called in order with each document that has an answer, and the answer; nil if it must be asked about
  ///     alone.
  /// - Throws: `ProtocolError`; what `body` throws.
  func askMany<Q: Question, One: HistoryAnswer>(
    _ documents: [DocumentID], _ question: (@Sendable ([DocumentID]) -> Q)?,
    _ body: (DocumentID, One?) async throws -> Void
  ) async throws where Q.Answer == ManyAnswer<One> {
    guard let question else {
      for document in documents { try await body(document, nil) }
      return
    }
    let pages = stride(from: 0, to: documents.count, by: ManyPages.countMax).map {
      Array(documents[$0..<min(documents.count, $0 + ManyPages.countMax)])
    }
    let bar = WaitingBar(self)
    defer { bar.end() }
    try await withThrowingTaskGroup(of: (page: Int, answer: ManyAnswer<One>).self) { group in
      var begun = 0
      func begin() {
        guard begun < pages.count else { return }
        let page = begun
        begun += 1
        group.addTask { (page, try await self.answer(question(pages[page]), about: pages[page])) }
      }
      for _ in 0..<ManyPages.togetherMax { begin() }
      var arrived: [Int: ManyAnswer<One>] = [:]
      for (number, page) in pages.enumerated() {
        while arrived[number] == nil, let next = try await group.next() {
          arrived[next.page] = next.answer
        }
        guard var answer = arrived.removeValue(forKey: number) else { return }
        begin()
        bar.show(Double(number) / Double(pages.count))
        var rest = page[...]
        while true {
          // The answer may come from anything that listens at the socket.
          let count = min(rest.count, max(1, answer.next ?? rest.count))
          for (document, answer) in answer.answers(about: rest.prefix(count)) {
            if let answer { warn(of: answer.reservation) }
            try await body(document, answer)
          }
          rest = rest.dropFirst(count)
          if rest.isEmpty { break }
          answer = try await self.answer(question(Array(rest)), about: Array(rest))
        }
      }
    }
  }

  private func answer<Q: Question, One>(
    _ question: Q, about documents: [DocumentID]
  ) async throws -> ManyAnswer<One> where Q.Answer == ManyAnswer<One> {
    do { return try await backend.ask(question) } catch let error as ProtocolError
      where error.code == .methodNotFound
    {
      return ManyAnswer(alone: documents)
    }
  }

  /// The points of a `--since` and an `--until` for documents that are asked about together: nil if they
  /// must be found in each document, or something else is asked of each.
  ///
  /// - Throws: `CommandError` (64) if a text is not a point.
  func sharedRange(
    since: String?, until: String?, _ reading: ReadingOptions
  ) throws(CommandError) -> (after: PointExpression?, through: PointExpression?)? {
    if reading.head != nil { return nil }
    var (after, through) = (Timestamp?.none, Timestamp?.none)
    if let since {
      guard case .time(let time) = try parsePoint(since, startsSecond: true) else { return nil }
      after = time.nanoseconds == .min ? time : Timestamp(nanoseconds: time.nanoseconds - 1)
    }
    if let until {
      guard case .time(let time) = try parsePoint(until) else { return nil }
      through = time
    }
    // The wrong order is an error only if there is an edit between them.
    if let after, let through, after > through { return nil }
    return (
      after.map { PointExpression(Point.time($0)) }, through.map { PointExpression(Point.time($0)) }
    )
  }
}

/// The pages of questions about many documents.
private enum ManyPages {
  /// Documents in a page: some milliseconds of work, so that a daemon serves others in between.
  static let countMax = 512
  /// The number of pages asked for at a time: as many as a daemon answers on one connection.
  static let togetherMax = 2
}

extension ManyAnswer {
  /// The documents that have an answer, in order, with the answer; nil if it must be asked about alone.
  fileprivate func answers(
    about documents: ArraySlice<DocumentID>
  ) -> [(document: DocumentID, answer: One?)] {
    var (answers, alone) = (answers[...], alone[...])
    return documents.compactMap { document in
      if answers.first?.document == document, let item = answers.popFirst() {
        return (document, item.answer)
      }
      guard alone.first == document else { return nil }
      alone.removeFirst()
      return (document, nil)
    }
  }
}
