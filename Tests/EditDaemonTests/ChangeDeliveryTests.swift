import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditLogFormat
import EditModel
import EditProtocol
import TestSupport
import Testing
import TextState

/// Deliveries that tell changes: all that a copy of the document needs to follow it.
@Suite(.timeLimit(.minutes(10))) struct ChangeDeliveryTests {
  /// A copy of a document that asks nothing.
  private struct Copy {
    var state = TextState()
    var paragraphs: [(id: ParagraphID, text: UTF16Text)] = []
    var last: SequenceNumber = 0

    mutating func apply(_ change: GroupChange) throws {
      #expect(change.first == last + 1)
      last = change.last
      let length = state.length
      #expect(change.contents.count == Int(change.last - change.first) + 1)
      var (extent, isWhole) = (EditedExtent?.none, true)
      for content in change.contents {
        // The attributes of no units.
        if content.text == nil, content.attributeRuns.isEmpty {
          isWhole = false
          continue
        }
        let action = try EditAction(
          range: content.range, replacement: content.text,
          attributes: content.attributeRuns.isEmpty ? .inherit : .set(content.attributeRuns))
        try state.apply(action)
        if extent?.append(action) == nil { extent = EditedExtent(action) }
      }
      #expect(state.length - length == change.changeInLength)
      if isWhole { #expect(extent?.editedRange == change.editedRange) }
      for paragraph in try #require(change.paragraphs) {
        let text = paragraph.text ?? ""
        switch paragraph.event {
        case .removed:
          let removed = paragraphs.remove(at: paragraph.index)
          #expect(removed.id == paragraph.id && removed.text == paragraph.oldText)
        case .inserted: paragraphs.insert((paragraph.id, text), at: paragraph.index)
        case .edited, .attributesChanged:
          #expect(paragraphs[paragraph.index].id == paragraph.id)
          if paragraph.event == .edited { paragraphs[paragraph.index].text = text }
          if let runs = paragraph.attributeRuns {
            #expect(runs == state.attributeRuns(in: paragraph.range))
          }
        }
      }
    }
  }

  /// A subscriber with changes, and what it is sent.
  private struct Subscriber {
    let client: EditLogClient
    private var deliveries: AsyncStream<Delivery>.Iterator

    init(
      _ daemon: RunningDaemon, from: HistoryPosition = HistoryPosition(), credit: Int = 1_000_000,
      sections: SubscribeRequest.SectionsOption? = nil
    ) async throws {
      let (stream, continuation) = AsyncStream<Delivery>.limited()
      var options = EditLogClient.Options()
      options.onNotification = { _, params in
        if let delivery = try? Delivery(params: params) { continuation.yield(delivery) }
      }
      client = try await EditLogClient.connect(to: daemon.socket, options: options)
      _ = try await client.call(
        SubscribeRequest(
          document("a"), from: from, credit: credit, changes: true, sections: sections))
      deliveries = stream.makeAsyncIterator()
    }

    mutating func next() async throws -> Delivery { try #require(await deliveries.next()) }
  }

  /// The oracle: the state and the paragraphs that the daemon answers.
  @Test(arguments: [1, 2, 3] as [UInt64]) func aCopyFollowsWithoutQuestions(
    seed: UInt64
  ) async throws {
    try await withClient { client, daemon in
      var generator = EditGenerator(seed: seed)
      var copy = Copy()
      copy.paragraphs = copy.state.paragraphs.map { ($0.id, UTF16Text()) }
      var subscriber: Subscriber?
      var (length, counter) = (5, UInt64(0))
      _ = try await client.append("a", put("start"))
      for round in 0..<60 {
        counter += 1
        var edits: [AppendEdit] = []
        let before = length
        for _ in 0..<(1 + generator.below(6)) {
          let action = generator.action(length: length)
          length = max(0, length + action.changeInLength)
          edits.append(
            AppendEdit(action: action, transaction: generator.below(3) == 0 ? nil : 1))
        }
        let request = AppendRequest(
          document: document("a"), ticket: try ticket(counter, of: "s"), edits: edits)
        if await refusal({ try await client.append(request) }) != nil { length = before }
        if round % 9 == 0 {
          _ = try await client.call(MarkRequest(document("a"), label: "\(round)"))
        }
        // The first half is read from the log, the rest is live.
        if round == 30 { subscriber = try await Subscriber(daemon) }
      }
      var follower = try #require(subscriber)
      let latest = try await client.call(StateRequest(HistoryReference(document("a"))))
      while copy.last < latest.sequence {
        let delivery = try await follower.next()
        let numbers = delivery.entries.filter(\.isEdit).map(\.place)
        let changes = try #require(delivery.changes)
        #expect(changes.flatMap { Array($0.first...$0.last) } == numbers)
        for change in changes { try copy.apply(change) }
      }
      #expect(copy.state.text == latest.text, "seed \(seed)")
      #expect(
        copy.state.attributeRuns(in: UTF16Range(0..<copy.state.length)) == latest.attributeRuns)
      let paragraphs = try await client.call(
        ParagraphsRequest(HistoryReference(document("a")))
      ).paragraphs
      #expect(copy.paragraphs.map(\.id) == paragraphs.map(\.id))
      #expect(copy.paragraphs.map(\.text) == paragraphs.map(\.text))
      await follower.client.close()
    }
  }

  /// The group's edited range, mask and change in length are those of a transaction.
  @Test func aTransactionIsOneChange() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("one\ntwo\n"))
      let bold = try EditAction(
        range: UTF16Range(0..<2), replacement: nil,
        attributes: .merge([AttributeRun(length: 2, attributes: ["bold": .bool(true)])]))
      _ = try await client.append(
        AppendRequest(
          document: document("a"),
          edits: [
            AppendEdit(action: bold, transaction: 1),
            AppendEdit(
              action: EditAction(replacing: UTF16Range(4..<8), with: "x"), transaction: 1),
          ]))
      var subscriber = try await Subscriber(daemon, from: HistoryPosition(after: 1))
      let change = try #require(try await subscriber.next().changes?.first)
      #expect((change.first, change.last) == (2, 3))
      #expect(change.actions == [.characters, .attributes])
      #expect(change.editedRange == UTF16Range(0..<5) && change.changeInLength == -3)
      #expect(
        change.contents == [
          ContentChange(
            range: UTF16Range(0..<2), text: nil,
            attributeRuns: [AttributeRun(length: 2, attributes: ["bold": .bool(true)])]),
          ContentChange(
            range: UTF16Range(4..<8), text: "x",
            attributeRuns: [AttributeRun(length: 1, attributes: [:])]),
        ])
      let paragraphs = try #require(change.paragraphs)
      #expect(paragraphs.map(\.event) == [.removed, .attributesChanged, .edited])
      #expect(paragraphs.map(\.index) == [2, 0, 1])
      #expect(paragraphs.map(\.text) == [nil, nil, "x"])
      #expect(paragraphs.map(\.oldText) == ["", nil, nil])
      await subscriber.client.close()
    }
  }

  /// A delivery may end within a transaction.
  @Test func theRestOfATransactionComesWithTheNextDelivery() async throws {
    try await withClient { client, daemon in
      let edits = (0..<10).map {
        AppendEdit(
          action: EditAction(replacing: UTF16Range($0..<$0), with: "x"), transaction: 1)
      }
      _ = try await client.append(AppendRequest(document: document("a"), edits: edits))
      var subscriber = try await Subscriber(daemon, credit: 4)
      let first = try await subscriber.next()
      #expect(first.changes?.map(\.last) == [4])
      _ = try await subscriber.client.call(CreditRequest(subscription: 1, credit: 100))
      let rest = try await subscriber.next()
      #expect(rest.changes?.map(\.first) == [5] && rest.changes?.map(\.last) == [10])
      await subscriber.client.close()
    }
  }

  /// What would be too long is left out; the contents have it.
  @Test func longParagraphsHaveNoText() async throws {
    try await withClient { client, daemon in
      let long = String(repeating: "x", count: GroupChange.paragraphLengthMax)
      _ = try await client.append("a", put(long + "\nshort\n"))
      _ = try await client.append("a", put(String(repeating: "\n", count: 10_001)))
      var subscriber = try await Subscriber(daemon)
      var changes: [GroupChange] = []
      while changes.count < 2 { changes += try await subscriber.next().changes ?? [] }
      #expect(changes[0].contents.first?.text?.count == long.utf16.count + 7)
      let paragraphs = try #require(changes[0].paragraphs)
      #expect(paragraphs.map { $0.text.map { $0.count } }.contains(6))
      #expect(paragraphs.contains { $0.range.length > long.utf16.count && $0.text == nil })
      // The rest is read where the change says.
      #expect(changes[1].paragraphs == nil)
      let rest = try #require(changes[1].rest)
      #expect(rest.count == 10_001)
      let part = try await client.call(rest.request)
      #expect(part.sequence == 2 && part.paragraphs.count == 10_000 && part.next == 10_000)
      #expect(changes[0].rest == nil)
      await subscriber.client.close()
    }
  }

  /// A removed paragraph whose text is left out has the digest of its text.
  @Test func longRemovedParagraphsHaveADigest() async throws {
    try await withClient { client, daemon in
      let long = String(repeating: "é", count: GroupChange.paragraphLengthMax)
      _ = try await client.append("a", put("start\n" + long + "\nend"))
      let range = UTF16Range(6..<6 + long.utf16.count + 1)
      _ = try await client.append(
        "a", AppendEdit(action: EditAction(replacing: range, with: "")))
      var subscriber = try await Subscriber(daemon, from: HistoryPosition(after: 1))
      let change = try #require(try await subscriber.next().changes?.first)
      let removed = try #require(change.paragraphs?.first)
      #expect(removed.event == .removed && removed.oldText == nil)
      #expect(removed.oldDigest?.bytes == SHA256.hash(Array((long + "\n").utf8)))
      await subscriber.client.close()
    }
  }

  /// A list of sections that is changed by what deliveries tell is the outline, by headings and by an
  /// attribute.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func sectionsAreFollowed(seed: UInt64) async throws {
    let key = seed.isMultiple(of: 2) ? "bold" : nil
    try await withClient { client, daemon in
      var generator = EditGenerator(seed: seed)
      let pieces: [UTF16Text] = [
        "# one\n", "\n## two\n", "```\n", "#", "word ", "\n", "", "---\n", "<!--\n", "-->",
      ]
      _ = try await client.append("a", put("start"))
      var subscriber = try await Subscriber(daemon, sections: .init(key: key))
      var state = TextState()
      try state.apply(put("start").action)
      for _ in 0..<60 {
        var action = generator.action(length: state.length)
        if generator.below(2) == 0 {
          action = EditAction(
            replacing: action.range, with: pieces[generator.below(pieces.count)])
        }
        guard (try? state.apply(action)) != nil else { continue }
        _ = try await client.append("a", AppendEdit(action: action))
      }
      let latest = try await client.call(
        OutlineRequest(HistoryReference(document("a")), key: key))
      var sections: [SectionChange] = [
        SectionChange(
          .inserted, index: 0, id: nil,
          facts: .init(
            level: 0, heading: nil, paragraphCount: 1, length: 0, words: 0, characters: 0))
      ]
      var last: SequenceNumber = 0
      while last < latest.sequence {
        for change in try #require(try await subscriber.next().changes) {
          last = change.last
          for section in try #require(change.sections) {
            switch section.event {
            case .removed: #expect(sections.remove(at: section.index).id == section.id)
            case .inserted: sections.insert(section, at: section.index)
            case .edited:
              #expect(sections[section.index].id == section.id)
              sections[section.index] = section
            }
          }
        }
      }
      #expect(sections.map(\.id) == latest.sections.map(\.id), "seed \(seed)")
      #expect(
        sections.map(\.facts)
          == latest.sections.map {
            SectionChange.Facts(
              level: $0.level, heading: $0.heading, paragraphCount: $0.paragraphCount,
              length: $0.range.length, words: $0.words, characters: $0.characters)
          }, "seed \(seed)")
      await subscriber.client.close()
    }
  }

  /// Many sections are read where the change says.
  @Test func manySectionsAreReadElsewhere() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put(String(repeating: "#\n", count: 10_001)))
      var subscriber = try await Subscriber(daemon, sections: .init())
      let change = try #require(try await subscriber.next().changes?.first)
      #expect(change.sections == nil)
      let rest = try #require(change.sectionsRest)
      #expect(rest.count == 10_001 + 1)
      #expect(try await client.call(rest.request).sections.count == 10_000)
      await subscriber.client.close()
    }
  }

  /// The bytes of the budget that are in use.
  private func inFlight(_ client: EditLogClient) async throws -> Int {
    let metrics = try await client.call(StatusRequest(hasMetrics: true)).daemon?.metrics
    let line = try #require(
      metrics?.split(separator: "\n").first { $0.hasPrefix("editlog_in_flight_bytes ") })
    return Int(try #require(Double(line.split(separator: " ")[1])))
  }

  /// A text that is kept for the next delivery is in the budget, and makes room for a question that needs
  /// more than is left; then it is read again.
  @Test func aKeptTextIsInTheBudget() async throws {
    try await withDaemon {
      $0.limits.bytesInFlightMax = 16 << 20
    } _: { daemon in
      let client = try await daemon.connect()
      _ = try await client.append("a", put(String(repeating: "x", count: 300_000)))
      var subscriber = try await Subscriber(daemon, from: HistoryPosition(after: 1))
      for round in 0..<3 {
        _ = try await client.append("a", put("\(round)"))
        let change = try #require(try await subscriber.next().changes?.first)
        #expect(change.paragraphs?.first?.range.length == 300_001 + round)
        #expect(try await inFlight(client) >= 1 << 20)
        let diff = try await client.call(
          DiffRequest(HistoryReference(document("a")), from: .sequence(1), to: .latest))
        #expect(diff.to == SequenceNumber(round) + 2)
        // That of the question is given back just after its answer.
        try await until { try await inFlight(client) == 0 }
      }
      await subscriber.client.close()
      await client.close()
    }
  }

  @Test func refusals() async throws {
    try await withClient { client, daemon in
      _ = try await client.append("a", put("x"))
      let all = await refusal { try await client.call(SubscribeRequest(nil, changes: true)) }
      #expect(all?.code == .invalidParams)
      let sections = await refusal {
        try await client.call(SubscribeRequest(document("a"), sections: .init()))
      }
      #expect(sections?.code == .invalidParams)
      let request = SubscribeRequest(document("a"), changes: true)
      for _ in 0..<64 { _ = try await client.call(request) }
      // Another connection has room for subscriptions, but not for their texts.
      let other = try await daemon.connect()
      #expect(await refusal { try await other.call(request) }?.code == .overloaded)
      _ = try await other.call(SubscribeRequest(document("a")))
      _ = try await client.call(UnsubscribeRequest(subscription: 7))
      try await until { (try? await other.call(request)) != nil }
      await other.close()
    }
  }
}
