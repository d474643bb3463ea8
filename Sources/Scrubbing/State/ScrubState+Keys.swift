import EditModel
import EditProtocol
import TextState

// What keys do.
extension ScrubState {
  mutating func handle(_ key: ScrubKey) {
    message = nil
    // These two work everywhere.
    if key == .control("z") { return tell(.suspend) }
    if key == .control("l") { return tell(.redraw) }
    switch mode {
    case .browse: browse(key)
    case .prompt(let kind, let text): edit(kind, text, key)
    case .matches: chooseMatch(key)
    case .help(let first): scrollHelp(first, key)
    case .restoreMenu: chooseRestore(key)
    case .confirm(let question, let first): confirm(question, first, key)
    }
  }

  /// The number that was typed before a key, at least 1.
  private mutating func takeCount() -> Int {
    defer { digits = "" }
    return max(1, Int(digits) ?? 1)
  }

  private mutating func browse(_ key: ScrubKey) {
    if case .character(let character) = key, character.isASCII, character.isNumber,
      character != "0" || !digits.isEmpty
    {
      // Ten digits are more than any history has edits on one screen of keys.
      if digits.count < 10 { digits.append(character) }
      return
    }
    if key == .character("%") {
      let percent = Int(digits) ?? 0
      digits = ""
      guard percent <= 100 else {
        message = "a percentage goes to 100"
        return
      }
      return moveTime { $0.goToPercent(percent) }
    }
    let isCounted = !digits.isEmpty
    let count = takeCount()
    if travel(key, count) || read(key, count) || look(key) { return }
    change(key, isCounted)
  }

  // MARK: - Sideways is time

  private mutating func travel(_ key: ScrubKey, _ count: Int) -> Bool {
    switch key {
    case .character(" "): togglePlay()
    case .character("+"): speed = min(256, speed * 2)
    case .character("-"): speed = max(0.25, speed / 2)
    case .character("="): speed = 1
    case .character(","): moveTime { $0.goByEdits(-count) }
    case .character("."): moveTime { $0.goByEdits(count) }
    case .character("h"), .left: moveTime { $0.goBySteps(-count) }
    case .character("l"), .right: moveTime { $0.goBySteps(count) }
    case .character("H"), .shiftLeft: moveTime { $0.goByTenths(-count) }
    case .character("L"), .shiftRight: moveTime { $0.goByTenths(count) }
    case .character("("): moveTime { $0.askSteps(-count, .paragraphChange) }
    case .character(")"): moveTime { $0.askSteps(count, .paragraphChange) }
    case .character("s"): moveTime { $0.askSteps(count, .save) }
    case .character("S"): moveTime { $0.askSteps(-count, .save) }
    case .character("}"): moveTime { $0.askSteps(count, .session) }
    case .character("{"): moveTime { $0.askSteps(-count, .session) }
    case .character("]"): moveTime { $0.goByMarks(count) }
    case .character("["): moveTime { $0.goByMarks(-count) }
    case .home: moveTime { $0.jump(to: 0) }
    case .end: moveTime { $0.jump(to: $0.latest) }
    case .character("F"): toggleFollow()
    case .backspace:
      guard let last = back.popLast() else { message = "there is nothing to go back to"; break }
      moveTime { $0.go(to: last.version, .offset(last.place)) }
    default: return false
    }
    return true
  }

  /// Moves in time, which ends playing and following.
  mutating func moveTime(_ move: (inout Self) -> Void) {
    playing = nil
    isFollowing = false
    move(&self)
  }

  private mutating func goByTenths(_ count: Int) {
    let range = timeline.range
    let tenth = max(1, (range.upperBound - range.lowerBound) / 10)
    let (far, overflow) = tenth.multipliedReportingOverflow(by: UInt64(count.magnitude))
    let distance = overflow ? latest : far
    jump(to: count < 0 ? goal - min(goal, distance) : goal + min(latest - goal, distance))
  }

  mutating func goToPercent(_ percent: Int) {
    let part = UInt64(percent)
    jump(to: latest / 100 * part + latest % 100 * part / 100)
  }

  private mutating func goByMarks(_ count: Int) {
    let versions = Set(marks.map(\.sequence)).sorted()
    let start = goal
    goByVersions(versions, count, "mark")
    guard goal != start else { return }
    if let mark = marks.last(where: { $0.sequence == goal }) { message = mark.label.shown }
  }

  private mutating func toggleFollow() {
    guard options.canFollow else {
      message = "following needs the daemon, which tells what is logged: start editlogd"
      return
    }
    guard !isForgotten else {
      message = Self.forgottenReason
      return
    }
    playing = nil
    isFollowing.toggle()
    guard isFollowing else { return }
    seen = latest
    jump(to: latest)
  }

  // MARK: - Up and down is text

  private mutating func read(_ key: ScrubKey, _ count: Int) -> Bool {
    let page = max(1, areas.text.height - 2)
    switch key {
    case .character("j"), .down: movePlace(count)
    case .character("k"), .up: movePlace(-count)
    case .pageDown, .control("f"): scroll(page * count)
    case .pageUp, .control("b"): scroll(-page * count)
    case .control("d"): scroll(max(1, page / 2))
    case .control("u"): scroll(-max(1, page / 2))
    case .control("e"): scroll(count)
    case .control("y"): scroll(-count)
    case .character("g"): goToStart()
    case .character("G"):
      place = cursor?.text.length ?? 0
      showPlace()
    case .enter: askOrigin()
    default: return false
    }
    return true
  }

  /// Asks for the edit that wrote the line with the place of the user.
  private mutating func askOrigin() {
    guard goal > 0 else { return }
    guard !isPlaceDeleted else { return refuseDeleted() }
    ask(.origin(at: goal, line: placeLine))
  }

  // MARK: - What is shown

  private mutating func look(_ key: ScrubKey) -> Bool {
    switch key {
    case .character("b"):
      showsBlame.toggle()
      if showsBlame, areas.gutter <= 2 { message = "the writers need a wider text: 50 columns" }
    case .character("u"): toggleSteps()
    case .character("T"): toggleAuthors()
    case .character("m"): setAnchor()
    case .character("v"): toggleSelection()
    case .character("d"):
      showsDeleted.toggle()
      if showsDeleted {
        let base = anchor.map { "version \($0.sequence.grouped)" } ?? "the step before"
        message = "deleted text is shown, compared with \(base)"
      }
    case .character("t"): timeStyle = timeStyle.next
    case .character("i"):
      idleCap = idleCap == 2 ? 0.5 : idleCap == nil ? 2 : nil
      message =
        idleCap.map { "idle time is cut to \($0 == 2 ? "2" : "0.5") s" } ?? "idle time is played"
    case .character("z"): zoom(in: true)
    case .character("Z"): zoom(in: false)
    case .character("p"): toggleParagraph()
    case .character("a"): nextAuthor()
    case .character("n"): nextMatch(1)
    case .character("N"): nextMatch(-1)
    default: return false
    }
    return true
  }

  private mutating func toggleSteps() {
    guard size.columns >= 80, size.isRoomy else {
      message = "the undo steps need 80 columns and 12 rows"
      return
    }
    showsSteps = !(showsSteps ?? size.hasSteps)
    showPlace()
  }

  private mutating func toggleAuthors() {
    guard size.isRoomy else {
      message = "the timeline needs 60 columns and 12 rows"
      return
    }
    showsAuthors = !timelineRows.contains(.authors)
    if showsAuthors == true {
      let names = authorSigns.map { (sign: $0.value, name: $0.key?.string) }.sorted { left, right in
        left.sign == right.sign
          ? (left.name ?? "").precedesExactly(right.name ?? "") : left.sign < right.sign
      }
      message = names.map { "\($0.sign) \($0.name?.shown ?? Self.unknownAuthor)" }
        .joined(separator: "  ")
    }
    showPlace()
  }

  private mutating func setAnchor() {
    guard let cursor, cursor.sequence == goal else { return }
    if anchor?.sequence == goal {
      anchor = nil
      message = "the anchor is gone"
    } else {
      (anchor, anchorLineage) = (cursor, lineage)
      message = "anchor at version \(goal.grouped); d compares with it"
    }
    shownKey = nil
  }

  private mutating func zoom(in isIn: Bool) {
    let range = timeline.range
    let length = range.upperBound - range.lowerBound
    guard isIn ? length > 8 : length < latest else {
      message = isIn ? "this is the closest" : "this is the whole history"
      return
    }
    let wanted = isIn ? length / 4 : length > latest / 4 ? latest : length * 4
    let lower = goal - min(goal, wanted / 2)
    let upper = min(latest, lower + wanted)
    timeline = Timeline(upper - min(upper, wanted)...upper)
    ask(.times(timeline.firstSamples))
  }

  private mutating func toggleParagraph() {
    guard paragraph == nil else {
      paragraph = nil
      message = "h and l step through all undo steps"
      return
    }
    guard cursor != nil else { return }
    guard !isPlaceDeleted else { return refuseDeleted() }
    ask(.paragraph(at: goal, offset: place))
  }

  /// The next author among those of the edits in memory, or all.
  private mutating func nextAuthor() {
    var names = Set(exact: steps.compactMap(\.author))
    for number in stepStart(goal)...max(stepStart(goal), stepEnd(goal)) {
      if let name = window[number]?.author { names.insert(name) }
    }
    for mark in marks { if let name = mark.author { names.insert(name) } }
    let sorted = names.sortedStrings
    let index = sorted.firstIndex { author.isExactly($0) }.map { $0 + 1 } ?? 0
    author = sorted.indices.contains(index) ? sorted[index] : nil
    message =
      author.map { "h and l step through the steps of \($0.shown)" }
      ?? "h and l step through all steps"
  }

  // MARK: - What is changed, and the rest

  private mutating func change(_ key: ScrubKey, _ isCounted: Bool) {
    switch key {
    case .character(":"): mode = .prompt(.point, "")
    case .character("/"): mode = .prompt(.search, "")
    case .character("w"): mode = .prompt(.file, "")
    case .character("M"): mode = .prompt(.mark, "")
    case .character("r"): mode = .restoreMenu
    case .character("y"): copy()
    case .character("?"): mode = .help(0)
    case .character("q"), .control("c"):
      isEnded = true
      tell(.quit)
    case .escape: if !isCounted { (pending, playing, selectionStart) = (nil, nil, nil) }
    default: message = "? lists the keys"
    }
  }
}
