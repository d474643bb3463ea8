import EditJSON
package import EditModel

// MARK: editlog/grepMany

/// Asks for the matches of a pattern in all versions of several documents.
package struct GrepManyRequest: MethodRequest {
  /// The documents, at most `ManyDocuments.countMax`.
  package var documents: [DocumentID]
  /// True if the links of the hash chains are checked for the entries that are read.
  package var isVerified: Bool
  /// The string or the regular expression.
  package var pattern: String
  /// True if the pattern is a string.
  package var isFixed: Bool
  /// True if letters match their other case.
  package var ignoresCase: Bool
  /// The matches to list. If nil, all.
  package var fate: GrepRequest.Fate?
  /// If not nil, only matches that appeared or vanished after this point of each document are listed.
  package var after: PointExpression?
  /// If not nil, only matches that appeared or vanished up to this point of each document are listed.
  package var through: PointExpression?
  /// The maximum number of matches of each document, up to 1,000.
  package var limit: Int

  /// A call.
  package init(
    _ documents: [DocumentID], isVerified: Bool = false, _ pattern: String, isFixed: Bool = false,
    ignoresCase: Bool = false, fate: GrepRequest.Fate? = nil, after: PointExpression? = nil,
    through: PointExpression? = nil, limit: Int = 100
  ) {
    (self.documents, self.isVerified, self.pattern) = (documents, isVerified, pattern)
    (self.isFixed, self.ignoresCase, self.fate) = (isFixed, ignoresCase, fate)
    (self.after, self.through, self.limit) = (after, through, limit)
  }

  /// The name, the summary and the codecs of the call.
  package static let definition = MethodDefinition<Self, ManyAnswer<GrepAnswer>>(
    "editlog/grepMany",
    "The matches of a pattern in all text that ever existed, of several documents.",
    isChange: false,
    params: Codec(
      {
        GrepManyRequest(
          $0, isVerified: $1, $2, isFixed: $3, ignoresCase: $4, fate: $5, after: $6, through: $7,
          limit: $8)
      },
      .required("documents", \.documents, .array(.document)),
      .optional("verified", \.isVerified, .bool, else: false),
      .required("pattern", \.pattern, .string),
      .optional("fixed", \.isFixed, .bool, else: false),
      .optional("ignoreCase", \.ignoresCase, .bool, else: false),
      .optional("only", \.fate, .name()),
      .optional("after", \.after, .point),
      .optional("through", \.through, .point),
      .optional("limit", \.limit, .integer(in: 1...1_000), else: 100)),
    answer: ManyAnswer.codec(GrepAnswer.codec))
}

// MARK: editlog/activityMany

/// Asks when several documents were worked on, how much, and by whom.
package struct ActivityManyRequest: MethodRequest {
  /// The documents, at most `ManyDocuments.countMax`.
  package var documents: [DocumentID]
  /// True if the links of the hash chains are checked for the entries that are read.
  package var isVerified: Bool
  /// If not nil, only edits after this point of each document count.
  package var after: PointExpression?
  /// If not nil, only edits up to this point of each document count.
  package var through: PointExpression?
  /// True for the stretches of time spent too.
  package var stretches: Bool

  /// A call.
  package init(
    _ documents: [DocumentID], isVerified: Bool = false, after: PointExpression? = nil,
    through: PointExpression? = nil, stretches: Bool = false
  ) {
    (self.documents, self.isVerified) = (documents, isVerified)
    (self.after, self.through, self.stretches) = (after, through, stretches)
  }

  /// The name, the summary and the codecs of the call.
  package static let definition = MethodDefinition<Self, ManyAnswer<ActivityAnswer>>(
    "editlog/activityMany",
    "When several documents were worked on, how much, and by whom.",
    isChange: false,
    params: Codec(
      { ActivityManyRequest($0, isVerified: $1, after: $2, through: $3, stretches: $4) },
      .required("documents", \.documents, .array(.document)),
      .optional("verified", \.isVerified, .bool, else: false),
      .optional("after", \.after, .point),
      .optional("through", \.through, .point),
      .optional("stretches", \.stretches, .bool, else: false)),
    answer: ManyAnswer.codec(ActivityAnswer.codec))
}

// MARK: Answers

/// The bounds of calls about several documents.
package enum ManyDocuments {
  /// The maximum number of documents in a call.
  package static let countMax = 4_096
}

/// Answers about several documents, each as the call about it alone gives it.
package struct ManyAnswer<One: HistoryAnswer>: Hashable, Sendable {
  /// The answer about a document.
  package struct Item: Hashable, Sendable {
    /// The document.
    package var document: DocumentID
    /// The answer about it.
    package var answer: One

    /// An answer about a document.
    package init(document: DocumentID, answer: One) {
      (self.document, self.answer) = (document, answer)
    }
  }

  /// The answers in the order of the documents in the call; of a search, without those that have no match
  /// and no warning.
  package var answers: [Item]
  /// The documents that a call must be about alone, in the same order: those with long histories, and
  /// those with which something is wrong.
  package var alone: [DocumentID]
  /// The number of documents of the call that are answered. Nil if it is all of them.
  package var next: Int?

  /// An answer.
  package init(answers: [Item] = [], alone: [DocumentID] = [], next: Int? = nil) {
    (self.answers, self.alone, self.next) = (answers, alone, next)
  }

  /// The codec of the answer, with that of the answer about one document.
  static func codec(_ one: Codec<One>) -> Codec<Self> {
    Codec(
      { ManyAnswer(answers: $0, alone: $1, next: $2) },
      .required(
        "answers", \.answers,
        .array(
          Codec<Item>(
            { Item(document: $0, answer: $1) },
            .required("document", \.document, .document), .group(\.answer, one)))),
      .optional("alone", \.alone, .array(.document), else: []),
      .optional("next", \.next, .count))
  }
}
