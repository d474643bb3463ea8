import EditModel
import EditProtocol

// Typed lines, lists and questions.
extension ScrubState {
  /// Characters of a typed line, at most.
  private static let promptMax = 1_024

  mutating func edit(_ kind: PromptKind, _ text: String, _ key: ScrubKey) {
    switch key {
    case .character(let character):
      if text.count < Self.promptMax { mode = .prompt(kind, text + String(character)) }
    case .backspace: mode = text.isEmpty ? .browse : .prompt(kind, String(text.dropLast()))
    case .control("u"): mode = .prompt(kind, "")
    case .control("w"):
      let words = text.split(separator: " ").dropLast().joined(separator: " ")
      mode = .prompt(kind, words.isEmpty ? "" : words + " ")
    case .tab:
      guard kind == .search else { return }
      searchFate = searchFate == nil ? .living : searchFate == .living ? .deleted : nil
    case .enter:
      mode = .browse
      finish(kind, text)
    case .escape, .control("c"): mode = .browse
    default: break
    }
  }

  private mutating func finish(_ kind: PromptKind, _ text: String) {
    guard !text.isEmpty else { return }
    switch kind {
    case .point:
      if text.last == "%", let percent = Int(text.dropLast()), percent >= 0 {
        guard percent <= 100 else {
          message = "a percentage goes to 100"
          return
        }
        return moveTime { $0.goToPercent(percent) }
      }
      goToPoint(text)
    case .search: ask(.search(pattern: text, fate: searchFate))
    case .file: ask(.write(file: text, at: goal))
    case .mark: ask(.mark(label: text, at: goal))
    }
  }

  /// Goes to a point, or to a time as the screen shows it. A time of day alone is one of the day that is
  /// shown, not of today.
  private mutating func goToPoint(_ text: String) {
    let label = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if let version = shownVersion(ofLabel: label) { return moveTime { $0.jump(to: version) } }
    guard Self.isTimeOfDay(label), let day = dayOfTimes else {
      return moveTime { $0.ask(.point(text)) }
    }
    moveTime { $0.ask(.point("\(day) \(label)")) }
    message = "\(label) on \(day)"
  }

  /// True for `15:04` and `15:04:05`, with or without a fraction: a time without a date or a zone.
  private static func isTimeOfDay(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return (2...3).contains(parts.count)
      && parts.allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
      }
  }

  /// The version at a label of the timeline or of the list of steps; nil if none is shown so.
  private func shownVersion(ofLabel text: String) -> SequenceNumber? {
    if let label = timelineEnds.first(where: { $0.text == text }) { return label.version }
    let step = steps.last { step in
      step.time.map { clock.shortMoment($0) == text || clock.moment($0) == text } ?? false
    }
    return step?.last
  }

  /// The day of a time of day without a date: that of the shown version. Its edit is known without a timeline,
  /// which `--plain` does not load.
  private var dayOfTimes: String? {
    (window[max(1, goal)]?.time ?? timeline.time(of: goal)).map { clock.day($0) }
  }

  // MARK: - Matches

  mutating func show(_ list: FoundList) {
    guard !list.matches.isEmpty else {
      let rule = SearchCase.isIgnored(by: list.pattern) ? "" : "; in small letters, it ignores case"
      let place =
        switch searchFate {
        case .living: "the newest text does not have"
        case .deleted: "no deleted text has"
        case nil: "no version has"
        }
      message = "\(place) \(list.pattern.shown)\(rule)"
      return
    }
    found = list
    back.append((goal, place))
    mode = .matches
    goToMatch()
  }

  mutating func goToMatch() {
    guard let found, found.matches.indices.contains(found.selected) else { return }
    let place = found.matches[found.selected].place
    moveTime { $0.go(to: place.version, .offset(place.location)) }
  }

  mutating func nextMatch(_ count: Int) {
    guard var list = found, !list.matches.isEmpty else {
      message = "there are no matches; / searches"
      return
    }
    list.selected = (list.selected + count + list.matches.count) % list.matches.count
    found = list
    goToMatch()
    message = matchLine(list.selected, list)
  }

  /// The place of a match in the list, and what became of it.
  func matchLine(_ index: Int, _ list: FoundList) -> String {
    let match = list.matches[index]
    let fate =
      match.vanished.map {
        "deleted by \($0.author?.shown ?? Self.unknownAuthor) in edit \($0.sequence.grouped)"
      }
      ?? "in the text now"
    return "match \(index + 1) of \(list.count.grouped): \(fate)"
  }

  mutating func chooseMatch(_ key: ScrubKey) {
    guard var list = found else { return mode = .browse }
    let last = list.matches.count - 1
    switch key {
    case .character("j"), .down, .character("n"): list.selected = min(last, list.selected + 1)
    case .character("k"), .up, .character("N"): list.selected = max(0, list.selected - 1)
    case .pageDown, .control("f"): list.selected = min(last, list.selected + 10)
    case .pageUp, .control("b"): list.selected = max(0, list.selected - 10)
    case .character("g"), .home: list.selected = 0
    case .character("G"), .end: list.selected = last
    case .enter:
      mode = .browse
      message = matchLine(list.selected, list)
      return
    case .escape, .character("q"), .control("c"):
      mode = .browse
      if let start = back.popLast() { go(to: start.version, .offset(start.place)) }
      return
    default: return
    }
    found = list
    goToMatch()
  }

  // MARK: - Restoring

  mutating func chooseRestore(_ key: ScrubKey) {
    mode = .browse
    switch key {
    case .character("v"):
      guard goal < latest else {
        message = "this is the newest version"
        return
      }
      ask(.preview(.version(goal)))
    case .character("p"):
      guard let restore = paragraphRestore else { return refuseDeleted() }
      ask(.preview(restore))
    case .character("s"):
      if hasOnlyDeletedSelected { return refuseDeleted() }
      guard let lines = selectedLines, !lines.isEmpty else {
        message = "no lines are selected; v selects them"
        return
      }
      ask(.preview(.lines(at: goal, lines)))
    default: break
    }
  }

  mutating func confirm(_ question: RestoreQuestion, _ first: Int, _ key: ScrubKey) {
    let page = max(1, size.rows - 2)
    var next = first
    switch key {
    case .character("y"), .character("w"):
      let writesFile = key == .character("w")
      guard isQuestionDrawn, !writesFile || question.file != nil else { return }
      mode = .browse
      return ask(.restore(question.restore, base: question.base, writesFile: writesFile))
    case .character("n"), .escape, .character("q"), .control("c"):
      mode = .browse
      message = "nothing was changed"
      return
    default: next = scrolled(first, key, page)
    }
    next = min(next, max(0, questionRows(question.lines).count - page))
    mode = .confirm(question, from: next)
  }

  /// The first line of a list after a key that scrolls.
  private func scrolled(_ first: Int, _ key: ScrubKey, _ page: Int) -> Int {
    switch key {
    case .character("j"), .down, .enter: first + 1
    case .character("k"), .up: max(0, first - 1)
    case .pageDown, .control("f"), .character(" "): first + page
    case .pageUp, .control("b"): max(0, first - page)
    case .character("g"), .home: 0
    default: first
    }
  }

  /// Ends the list of the keys or of the matches, which is no mode where it is printed. The match stays the chosen one.
  package mutating func leaveList() {
    switch mode {
    case .help, .matches: mode = .browse
    default: break
    }
  }

  mutating func scrollHelp(_ first: Int, _ key: ScrubKey) {
    switch key {
    case .character("q"), .character("?"), .escape, .control("c"): mode = .browse
    default:
      mode = .help(min(scrolled(min(first, helpEnd), key, max(1, size.rows - 2)), helpEnd))
    }
  }

  /// The last line at which the list of keys begins. Another size of the screen has other lines.
  var helpEnd: Int {
    max(0, HelpLines.lines(columns: size.columns).count - max(1, size.rows - 1))
  }
}

extension ShownMatch {
  /// Where it is shown: in the version in which it appeared, or if it vanished, in the last one that had it, where
  /// the text around it can be restored.
  var place: (version: SequenceNumber, location: Int) {
    // No answer is trusted to be of a real edit.
    guard let vanished, let last, vanished.sequence > 0 else {
      return (appeared.sequence, location)
    }
    return (vanished.sequence - 1, last.location)
  }
}
