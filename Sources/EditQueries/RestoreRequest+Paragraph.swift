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
// - Where it comes back, so do the empty lines around it, unless there are some.
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
    // It may have gone with the line breaks before it, or with those after it.
    let withBreaks = UTF16Range(
      old.endOfText(before: paragraph)..<old.emptyLines(after: paragraph).upperBound)
    func reviving(
      _ parts: [UTF16Range], replacing range: UTF16Range, isApart: Bool = true
    ) -> RestorePlan? {
      for part in parts where !part.isEmpty {
        let plan = self.reviving(
          part, of: old, former, replacing: range, margin: isApart ? withBreaks : content,
          in: state, tree
        ) { state, location in
          let location = location + content.location - part.location
          return state.hasParagraph(at: location, length: content.length)
            && (!isApart || state.isApart(at: location, like: paragraph, of: old))
        }
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
      let isJoined = state.lines(of: range) != range
      let withBreakBefore = UTF16Range(withBreaks.location..<content.upperBound)
      let parts = isJoined ? [paragraph.range, withBreakBefore, withBreaks] : [content]
      return reviving(parts, replacing: range, isApart: isJoined)
        ?? RestorePlan(actions: actions, range: range)
    }
    let offset = state.place(near: place.location, of: paragraph, in: old)
    if offset == place.location {
      let none = UTF16Range(offset..<offset)
      let parts = [paragraph.range, content, withBreaks]
      if let plan = reviving(parts, replacing: none) { return plan }
    }
    return try inserting(paragraph, of: old, at: offset, into: state)
  }

  /// The actions that put a paragraph of `old` in the place of a range of `state`, with line breaks where
  /// other text of the lines stays.
  private func replacing(
    _ range: UTF16Range, by paragraph: ParagraphDescriptor, of old: TextState, in state: TextState
  ) throws(ProtocolError) -> [EditAction] {
    let content = old.content(of: paragraph)
    let lines = state.lines(of: range)
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
    if range.upperBound < lines.upperBound {
      let empty = old.text(in: old.emptyLines(after: paragraph))
      try insert(UTF16Text(units: terminator.units + empty.units), at: range.upperBound)
    }
    if lines.location < start {
      let empty = old.text(in: old.emptyLines(before: paragraph))
      try insert(UTF16Text(units: terminator.units + empty.units), at: start)
      start += terminator.count + empty.count
    }
    let place = UTF16Range(start..<start + range.length)
    return try actions + differences(from: next, place, to: old, content)
  }

  /// The actions that make a paragraph of `old` one of its own, near an offset of `state`.
  private func inserting(
    _ paragraph: ParagraphDescriptor, of old: TextState, at offset: Int, into state: TextState
  ) throws(ProtocolError) -> RestorePlan {
    let index = state.paragraphIndex(at: offset)
    let neighbour = state.paragraph(at: index)
    let content = old.content(of: paragraph)
    let terminator = old.terminator(of: paragraph).units
    let isBefore = neighbour.range.location == offset
    let end = isBefore ? offset : state.content(of: neighbour).upperBound
    let place = UTF16Range(end..<end)
    // Between two paragraphs, or at an end of the text.
    let next = isBefore ? index : index + 1
    let before = state.hasText(at: next - 1) ? old.text(in: old.emptyLines(before: paragraph)) : ""
    let after = state.hasText(at: next) ? old.text(in: old.emptyLines(after: paragraph)) : ""
    let units = old.text(in: content).units
    let first = (isBefore ? [] : terminator) + before.units
    let last = (isBefore ? terminator : []) + after.units
    let insertion = EditAction(replacing: place, with: UTF16Text(units: first + units + last))
    var (version, actions) = (state, [insertion])
    let start = place.location + first.count
    do throws(EditError) {
      try version.advance(by: insertion)
      let new = UTF16Range(start..<start + units.count)
      for action in version.restyling(new, to: old.attributeRuns(in: content)) {
        try version.advance(by: action)
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

  /// The empty lines directly before a paragraph. O(lines · log n).
  fileprivate func emptyLines(before paragraph: ParagraphDescriptor) -> UTF16Range {
    let index = paragraphIndex(at: paragraph.range.location)
    let first = (0..<index).last(where: hasText(at:)).map { $0 + 1 } ?? 0
    return UTF16Range(self.paragraph(at: first).range.location..<paragraph.range.location)
  }

  /// The empty lines directly after a paragraph. O(lines · log n).
  fileprivate func emptyLines(after paragraph: ParagraphDescriptor) -> UTF16Range {
    let index = paragraphIndex(at: paragraph.range.location)
    let next = (index + 1..<paragraphCount).first(where: hasText(at:)) ?? paragraphCount
    return UTF16Range(
      paragraph.range.upperBound..<self.paragraph(at: next - 1).range.upperBound)
  }

  /// The end of the text before the line breaks before a paragraph; 0 if there is none.
  fileprivate func endOfText(before paragraph: ParagraphDescriptor) -> Int {
    let start = emptyLines(before: paragraph).location
    return start == 0
      ? 0 : content(of: self.paragraph(at: paragraphIndex(at: start) - 1)).upperBound
  }

  /// True if there is a paragraph with this index, and it is not empty.
  fileprivate func hasText(at index: Int) -> Bool {
    index >= 0 && index < paragraphCount && !content(of: paragraph(at: index)).isEmpty
  }

  /// The paragraphs in which a range begins and ends, from the start of the first to the end of the last,
  /// without its terminator.
  fileprivate func lines(of range: UTF16Range) -> UTF16Range {
    let first = paragraph(at: paragraphIndex(at: range.location))
    let last = paragraph(at: paragraphIndex(at: range.upperBound))
    return UTF16Range(first.range.location..<content(of: last).upperBound)
  }

  /// True if the paragraph at an offset has empty lines around it where one of an old version has some, or
  /// no other text there.
  fileprivate func isApart(
    at offset: Int, like paragraph: ParagraphDescriptor, of old: TextState
  ) -> Bool {
    let index = paragraphIndex(at: offset)
    return (old.emptyLines(before: paragraph).isEmpty || !hasText(at: index - 1))
      && (old.emptyLines(after: paragraph).isEmpty || !hasText(at: index + 1))
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
