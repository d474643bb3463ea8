import EditModel
import EditProtocol
import Projections
import Replay
import TextState

// A paragraph is brought back as a paragraph of its own, without changing any other:
//
// - A paragraph that is still there gets its old text, and keeps its terminator.
// - Text of a removed paragraph that is still there, in another one, is replaced by the old text.
// - Text of other paragraphs in the same one, after a join, stays, before or after it.
// - A removed paragraph without such text comes back before the paragraph at whose start its text was,
//   else after the paragraph in which it was. An edit that replaced a range around that place has moved
//   it to the end of the range. So it never comes before the nearest paragraph before it that is still
//   there, nor after the nearest one after it.
//
// The old terminator says nothing about the place: who presses Return at the end of a paragraph and
// types on moves its terminator to the end of what is typed.
//
// If its own units can come back by an undo, they do, by the same rules.
extension QueryEngine {
  /// What brings back a paragraph of `old` in the newest version.
  func restoring(
    _ paragraph: ParagraphDescriptor, of old: TextState, _ replay: Replay
  ) throws(ProtocolError) -> RestorePlan {
    guard !paragraph.range.isEmpty else { throw .emptyPart(of: old.sequence) }
    let (tree, state) = try undoTree(replay)
    let former = try former(at: old.sequence, replay)
    let content = old.content(of: paragraph)
    let place = tree.provenance.range(of: content.isEmpty ? paragraph.range : content, in: former)
    let now = state.paragraph(paragraph.id)?.descriptor
    // It may have gone with the terminator before it, or with its own.
    let margin = UTF16Range(old.endOfContent(before: paragraph)..<paragraph.range.upperBound)
    func reviving(_ parts: [UTF16Range], replacing range: UTF16Range) -> RestorePlan? {
      for part in parts {
        let plan = self.reviving(
          part, of: old, former, replacing: range, margin: margin, in: state, tree,
          isRight: {
            $0.hasParagraph(at: $1 + content.location - part.location, length: content.length)
          })
        if let plan { return plan }
      }
      return nil
    }
    if now != nil || (!content.isEmpty && !place.isEmpty) {
      var range = place
      if let now {
        range = state.content(of: now)
        // Of a paragraph that was split, all parts are replaced.
        if !content.isEmpty, !place.isEmpty, place.bounds.overlaps(now.range.bounds) {
          range = UTF16Range(
            min(range.location, place.location)..<max(range.upperBound, place.upperBound))
        }
      }
      range = Survivors(of: old, in: state, tree.provenance.fates(of: former))
        .extent(of: paragraph, within: range)
      let actions = try replacing(range, by: paragraph, of: old, in: state)
      if actions.isEmpty { return RestorePlan(actions: [], range: range) }
      let withTerminatorBefore = UTF16Range(margin.location..<content.upperBound)
      return reviving([content, paragraph.range, withTerminatorBefore, margin], replacing: range)
        ?? RestorePlan(actions: actions, range: range)
    }
    let offset = state.place(near: place.location, of: paragraph, in: old)
    guard offset == place.location else {
      return try inserting(paragraph, of: old, at: offset, into: state)
    }
    let none = UTF16Range(place.location..<place.location)
    if let plan = reviving([paragraph.range, content], replacing: none) { return plan }
    return try inserting(paragraph, of: old, at: offset, into: state)
  }

  /// The actions that put a paragraph of `old` in the place of a range of `state`, with terminators where
  /// other text of the line stays.
  private func replacing(
    _ range: UTF16Range, by paragraph: ParagraphDescriptor, of old: TextState, in state: TextState
  ) throws(ProtocolError) -> [EditAction] {
    let content = old.content(of: paragraph)
    let first = state.paragraph(at: state.paragraphIndex(at: range.location))
    let last = state.content(of: state.paragraph(at: state.paragraphIndex(at: range.upperBound)))
    var (next, actions) = (state, [EditAction]())
    func insert(_ text: UTF16Text, at offset: Int) throws(ProtocolError) {
      let insertion = EditAction(replacing: UTF16Range(offset..<offset), with: text)
      do throws(EditError) { try next.advance(by: insertion) } catch {
        throw ProtocolError(restoring: error)
      }
      actions.append(insertion)
    }
    let terminator = old.terminator(of: paragraph)
    var start = range.location
    if range.upperBound < last.upperBound { try insert(terminator, at: range.upperBound) }
    if first.range.location < start {
      try insert(terminator, at: start)
      start += terminator.count
    }
    let place = UTF16Range(start..<start + range.length)
    return try actions + differences(from: next, place, to: old, content)
  }

  /// The actions that make a paragraph of `old` one of its own, near an offset of `state`.
  private func inserting(
    _ paragraph: ParagraphDescriptor, of old: TextState, at offset: Int, into state: TextState
  ) throws(ProtocolError) -> RestorePlan {
    let neighbour = state.paragraph(at: state.paragraphIndex(at: offset))
    let content = old.content(of: paragraph)
    let terminator = old.terminator(of: paragraph)
    let isBefore = neighbour.range.location == offset
    let place =
      isBefore
      ? UTF16Range(offset..<offset)
      : UTF16Range(
        state.content(of: neighbour).upperBound..<state.content(of: neighbour).upperBound)
    let units = old.text(in: content).units
    let added = isBefore ? units + terminator.units : terminator.units + units
    let insertion = EditAction(replacing: place, with: UTF16Text(units: added))
    var (next, actions) = (state, [insertion])
    let start = place.location + (isBefore ? 0 : terminator.count)
    do throws(EditError) {
      try next.advance(by: insertion)
      let new = UTF16Range(start..<start + units.count)
      for action in next.restyling(new, to: old.attributeRuns(in: content)) {
        try next.advance(by: action)
        actions.append(action)
      }
    } catch { throw ProtocolError(restoring: error) }
    return RestorePlan(actions: actions, range: place)
  }
}

extension TextState {
  /// Where a removed paragraph of `old` belongs: at `offset`, if that is between its nearest neighbours
  /// that are still there, else beside the neighbour that `offset` is beyond. O(paragraphs of `old`).
  fileprivate func place(
    near offset: Int, of paragraph: ParagraphDescriptor, in old: TextState
  ) -> Int {
    let index = old.paragraphIndex(at: paragraph.range.location)
    func range(_ index: Int) -> UTF16Range? {
      self.paragraph(old.paragraph(at: index).id)?.descriptor.range
    }
    let before = (0..<index).reversed().lazy.compactMap(range).first
    if let before, offset <= before.location { return before.upperBound }
    let after = (index + 1..<max(index + 1, old.paragraphCount)).lazy.compactMap(range).first
    // A neighbour that has moved before the other one says nothing.
    if let after, offset > after.location, after.location >= before?.upperBound ?? 0 {
      return after.location
    }
    return offset
  }

  /// True if a paragraph without its terminator has this range.
  fileprivate func hasParagraph(at location: Int, length: Int) -> Bool {
    content(of: paragraph(at: paragraphIndex(at: location)))
      == UTF16Range(location..<location + length)
  }

  /// The line break of a paragraph, or one for a last paragraph without.
  fileprivate func terminator(of paragraph: ParagraphDescriptor) -> UTF16Text {
    let content = content(of: paragraph)
    return content.upperBound == paragraph.range.upperBound
      ? "\n" : text(in: UTF16Range(content.upperBound..<paragraph.range.upperBound))
  }

  /// The end of the paragraph before another one, without its terminator; 0 if there is none.
  fileprivate func endOfContent(before paragraph: ParagraphDescriptor) -> Int {
    let index = paragraphIndex(at: paragraph.range.location)
    return index == 0 ? 0 : content(of: self.paragraph(at: index - 1)).upperBound
  }

  /// The range of a paragraph without its terminator.
  func content(of paragraph: ParagraphDescriptor) -> UTF16Range {
    let range = paragraph.range
    let end = text(in: UTF16Range(max(range.location, range.upperBound - 2)..<range.upperBound))
      .units
    let length: Int
    switch end.last {
    case 0x0A: length = end.count == 2 && end[0] == 0x0D ? 2 : 1
    case 0x0D, 0x2029: length = 1
    default: length = 0
    }
    return UTF16Range(range.location..<range.upperBound - length)
  }
}
