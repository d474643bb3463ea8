import EditModel
import EditProtocol
import Projections
import Replay
import TextState

// A paragraph is brought back as a paragraph of its own, without changing any other:
//
// - A paragraph that is still there gets its old text, and keeps its terminator. It is there if at least half
//   of its units are in the line with its identifier, or all of them in another one; and if it was typed over.
// - Text of other paragraphs in the same line, after a join, stays, before or after it.
// - A removed paragraph comes back before the paragraph at whose start its text was, else after the
//   paragraph in which it was. An edit that replaced a range around that place has moved it to the end of
//   the range, and what was restored there stands before it. So it never comes before the nearest paragraph
//   before it that is there, nor after the nearest one after it.
// - Where it comes back, so do the empty lines around it, unless there are some.
//
// The old terminator says nothing about the place: who presses Return at the end of a paragraph and
// types on moves its terminator to the end of what is typed. Nor does the identifier of a paragraph without
// old units: other text has come into its line.
//
// If its own units can come back by an undo, they do, by the same rules.
extension QueryEngine {
  /// What brings back a paragraph of `old` in the newest version.
  func restoring(
    _ descriptor: ParagraphDescriptor, of old: TextState, _ replay: Replay
  ) throws(ProtocolError) -> RestorePlan {
    guard !descriptor.range.isEmpty else { throw .emptyPart(of: old.sequence) }
    let (tree, state) = try undoTree(replay)
    let former = try former(at: old.sequence, replay)
    let paragraph = LostParagraph(descriptor, of: old)
    let (content, range) = (paragraph.content, paragraph.range)
    let place = tree.provenance.range(of: content.isEmpty ? range : content, in: former)
    let survivors = Survivors(of: old, in: state, tree.provenance.fates(of: former))
    func reviving(
      _ parts: [UTF16Range], replacing now: UTF16Range, isApart: Bool = true
    ) -> RestorePlan? {
      for part in parts where !part.isEmpty {
        let plan = self.reviving(
          part, of: old, former, replacing: now, margin: isApart ? paragraph.withBreaks : content,
          in: state, tree
        ) { state, location in
          let location = location + content.location - part.location
          return paragraph.isThere(at: location, in: state)
            && (!isApart || paragraph.isApart(at: location, in: state))
        }
        if let plan { return plan }
      }
      return nil
    }
    let typed = tree.range(place, typedOver: content, of: former, length: state.length)
    if let now = survivors.place(of: paragraph, descriptor.id, place, typedOver: typed) {
      let now = survivors.extent(of: paragraph, within: now)
      let actions = try replacing(now, by: paragraph, in: state)
      if actions.isEmpty { return RestorePlan(actions: [], range: now) }
      let isJoined = state.lines(of: now) != now
      let parts =
        isJoined ? [range, paragraph.withBreaksBefore, paragraph.withBreaks] : [content]
      return reviving(parts, replacing: now, isApart: isJoined)
        ?? RestorePlan(actions: actions, range: now)
    }
    let neighbours = survivors.neighbours(of: paragraph, near: place.location)
    if let copy = neighbours.copy { return RestorePlan(actions: [], range: copy) }
    if neighbours.offset == place.location {
      let none = UTF16Range(place.location..<place.location)
      let parts = [range, content, paragraph.withBreaks]
      if let plan = reviving(parts, replacing: none) { return plan }
    }
    return try inserting(paragraph, at: neighbours.offset, into: state)
  }

  /// The actions that put a paragraph in the place of a range of `state`, with line breaks where other text
  /// of the lines stays.
  private func replacing(
    _ range: UTF16Range, by paragraph: LostParagraph, in state: TextState
  ) throws(ProtocolError) -> [EditAction] {
    let lines = state.lines(of: range)
    var (next, actions) = (state, [EditAction]())
    func insert(_ empty: UTF16Text, at offset: Int) throws(ProtocolError) -> Int {
      let text = UTF16Text(units: paragraph.terminator.units + empty.units)
      let insertion = EditAction(replacing: UTF16Range(offset..<offset), with: text)
      do throws(EditError) { try next.advance(by: insertion) } catch {
        throw ProtocolError(restoring: error)
      }
      actions.append(insertion)
      return text.count
    }
    var start = range.location
    if range.upperBound < lines.upperBound {
      _ = try insert(paragraph.after, at: range.upperBound)
    }
    if lines.location < start { start += try insert(paragraph.before, at: start) }
    let place = UTF16Range(start..<start + range.length)
    return try actions + differences(from: next, place, to: paragraph.old, paragraph.content)
  }

  /// The actions that make a paragraph one of its own, near an offset of `state`.
  private func inserting(
    _ paragraph: LostParagraph, at offset: Int, into state: TextState
  ) throws(ProtocolError) -> RestorePlan {
    let index = state.paragraphIndex(at: offset)
    let neighbour = state.paragraph(at: index)
    let isBefore = neighbour.range.location == offset
    let end = isBefore ? offset : state.content(of: neighbour).upperBound
    let place = UTF16Range(end..<end)
    // Between two paragraphs, or at an end of the text.
    let next = isBefore ? index : index + 1
    let before = state.hasText(at: next - 1) ? paragraph.before : ""
    let after = state.hasText(at: next) ? paragraph.after : ""
    let terminator = paragraph.terminator.units
    let first = (isBefore ? [] : terminator) + before.units
    let last = (isBefore ? terminator : []) + after.units
    let units = paragraph.old.text(in: paragraph.content).units
    let insertion = EditAction(replacing: place, with: UTF16Text(units: first + units + last))
    var (version, actions) = (state, [insertion])
    let start = place.location + first.count
    do throws(EditError) {
      try version.advance(by: insertion)
      let runs = paragraph.old.attributeRuns(in: paragraph.content)
      for action in version.restyling(UTF16Range(start..<start + units.count), to: runs) {
        try version.advance(by: action)
        actions.append(action)
      }
    } catch { throw ProtocolError(restoring: error) }
    return RestorePlan(actions: actions, range: place)
  }
}
