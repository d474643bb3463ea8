public import EditModel
public import TextState

/// Sections are moved, deleted and inserted by edits of the text. Each function returns the actions of
/// one transaction: the range of each refers to the text after the one before.
///
/// Let the text be the bodies of its sections, each without the terminator at its end, with terminators
/// between them. An operation changes the list of bodies and nothing else. So a text whose last
/// paragraph has no terminator still has none afterwards, whichever section is then the last.
///
/// Attributes move with their text. Moved text is deleted and inserted, so its paragraphs get new
/// identifiers; `ParagraphModels` records the moves.
///
/// Before a function returns, it applies the actions to a copy and reads the outline again. O(n).
extension Outline {
  /// The edits that move sections.
  ///
  /// - Parameters:
  ///   - moved: The sections. `subtree(at:)` gives a section with those under it.
  ///   - index: The index of the first of them afterwards. It counts after the removal.
  ///   - state: The version of the outline.
  /// - Returns: No actions if the sections are there already.
  /// - Throws: `OutlineError`.
  public func actions(
    moving moved: Range<Int>, to index: Int, in state: TextState
  ) throws(OutlineError) -> [EditAction] {
    let text = try OutlineText(self, state)
    try check(moved)
    guard (0...sections.count - moved.count).contains(index) else {
      throw .noPlace(index, last: sections.count - moved.count)
    }
    guard !moved.isEmpty, index != moved.lowerBound else { return [] }
    let range = text.range(of: moved)
    let isLast = moved.upperBound == sections.count
    let becomesLast = index == sections.count - moved.count
    var (removed, pieces) = (range, [range])
    if !text.endsWithTerminator, isLast {
      // The terminator before the sections goes after them.
      let terminator = text.terminator(before: range.location)
      removed = UTF16Range(terminator.location..<range.upperBound)
      pieces = [range, terminator]
    } else if !text.endsWithTerminator, becomesLast {
      let terminator = text.terminator(before: range.upperBound)
      pieces = [terminator, UTF16Range(range.location..<terminator.location)]
    }
    // The section before which they come: one of those that stay.
    let next = index < moved.lowerBound ? index : index + moved.count
    let place = next < sections.count ? sections[next].range.location : state.length
    let destination = place > range.location ? place - removed.length : place
    var bodies = text.bodies
    bodies.removeSubrange(moved)
    bodies.insert(contentsOf: text.bodies[moved], at: index)
    let actions = [
      EditAction(replacing: removed, with: UTF16Text()),
      try text.insertion(of: pieces, at: destination),
    ]
    return try text.checked(actions, giving: bodies, isTerminated: text.endsWithTerminator)
  }

  /// The edits that delete sections.
  ///
  /// - Parameters:
  ///   - deleted: The sections.
  ///   - state: The version of the outline.
  /// - Throws: `OutlineError`.
  public func actions(
    deleting deleted: Range<Int>, in state: TextState
  ) throws(OutlineError) -> [EditAction] {
    let text = try OutlineText(self, state)
    try check(deleted)
    var range = text.range(of: deleted)
    guard !range.isEmpty else { return [] }
    if !text.endsWithTerminator, deleted.upperBound == sections.count, deleted.lowerBound > 0 {
      let terminator = text.terminator(before: range.location)
      range = UTF16Range(terminator.location..<range.upperBound)
    }
    var bodies = text.bodies
    bodies.removeSubrange(deleted)
    return try text.checked(
      [EditAction(replacing: range, with: UTF16Text())], giving: bodies,
      isTerminated: text.endsWithTerminator)
  }

  /// The edits that insert sections.
  ///
  /// - Parameters:
  ///   - inserted: Their text, from a heading on. A terminator at its end is added or left out, as
  ///     the place needs it; an added one is the first of the document, or LF.
  ///   - attributes: Runs that cover the text; empty for plain text.
  ///   - index: The index of the first of them afterwards.
  ///   - state: The version of the outline.
  /// - Throws: `OutlineError`.
  public func actions(
    inserting inserted: UTF16Text, attributes: [AttributeRun] = [], at index: Int,
    in state: TextState
  ) throws(OutlineError) -> [EditAction] {
    let text = try OutlineText(self, state)
    guard (0...sections.count).contains(index) else { throw .noPlace(index, last: sections.count) }
    var new = TextState()
    do throws(EditError) {
      try new.apply(
        EditAction(
          range: UTF16Range(0..<0), replacement: inserted,
          attributes: attributes.isEmpty ? .inherit : .set(attributes)))
    } catch { throw .refused(error) }
    guard !inserted.isEmpty else { return [] }
    let newText = try OutlineText(Outline(of: new, rule: rule), new)
    let content = UTF16Range(0..<newText.contentLength)
    var (units, runs) = (new.text(in: content), new.attributeRuns(in: content))
    let terminator = text.terminator
    let plain = AttributeRun(length: terminator.count, attributes: [:])
    let isTerminated = state.length > 0 ? text.endsWithTerminator : newText.endsWithTerminator
    let place = index < sections.count ? sections[index].range.location : state.length
    if place < state.length || isTerminated {
      units.append(terminator)
      runs.append(plain)
    } else if state.length > 0 {
      var joined = terminator
      joined.append(units)
      (units, runs) = (joined, [plain] + runs)
    }
    var bodies = text.bodies
    bodies.insert(contentsOf: newText.bodies, at: min(index, bodies.count))
    let action: EditAction
    do throws(EditError) {
      action = try EditAction(
        range: UTF16Range(place..<place), replacement: units, attributes: .set(runs))
    } catch { throw .refused(error) }
    return try text.checked([action], giving: bodies, isTerminated: isTerminated)
  }

  private func check(_ asked: Range<Int>) throws(OutlineError) {
    guard asked.lowerBound >= 0, asked.upperBound <= sections.count else {
      throw .noSections(asked, count: sections.count)
    }
  }
}
