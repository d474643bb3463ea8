import EditModel
import TextState

/// The text of an outline as the bodies of its sections, each without the terminator at its end.
struct OutlineText {
  private let outline: Outline
  private let state: TextState
  /// True if the last paragraph is empty, and others come before it.
  let endsWithTerminator: Bool

  /// The text of `state`, of which `outline` must be the outline.
  init(_ outline: Outline, _ state: TextState) throws(OutlineError) {
    guard Outline(of: state, rule: outline.rule) == outline else { throw .otherVersion }
    let isLastEmpty = state.paragraph(at: state.paragraphCount - 1).range.isEmpty
    self.init(outline, state, endsWithTerminator: state.length > 0 && isLastEmpty)
  }

  private init(_ outline: Outline, _ state: TextState, endsWithTerminator: Bool) {
    (self.outline, self.state) = (outline, state)
    self.endsWithTerminator = endsWithTerminator
  }

  /// The bodies of all sections; none if there is no text.
  var bodies: [UTF16Text] {
    guard state.length > 0 else { return [] }
    return outline.sections.indices.map { index in
      let range = outline.sections[index].range
      let isTerminated = endsWithTerminator || index < outline.sections.count - 1
      let end = isTerminated ? terminator(before: range.upperBound).location : range.upperBound
      return state.text(in: UTF16Range(range.location..<end))
    }
  }

  /// UTF-16 units, without the terminator at the end.
  var contentLength: Int {
    endsWithTerminator ? terminator(before: state.length).location : state.length
  }

  /// The first terminator of the text; LF if there is none.
  var terminator: UTF16Text {
    let end = state.paragraph(at: 0).range.upperBound
    let range = terminator(before: end)
    return range.isEmpty ? "\n" : state.text(in: range)
  }

  /// The terminator that ends at an offset; empty if there is none.
  func terminator(before end: Int) -> UTF16Range {
    let units = state.text(in: UTF16Range(max(0, end - 2)..<end))
    return UTF16Range(end - units.terminatorLength..<end)
  }

  /// The range of some sections; an empty one at 0 if there are none.
  func range(of sections: Range<Int>) -> UTF16Range {
    guard !sections.isEmpty else { return UTF16Range(0..<0) }
    return UTF16Range(
      outline.sections[sections.lowerBound].range
        .location..<outline.sections[sections.upperBound - 1].range.upperBound)
  }

  /// The insertion of pieces of this text, one after the other, with their attributes.
  func insertion(of pieces: [UTF16Range], at offset: Int) throws(OutlineError) -> EditAction {
    var (units, runs) = (UTF16Text(), [AttributeRun]())
    for piece in pieces {
      units.append(state.text(in: piece))
      runs += state.attributeRuns(in: piece)
    }
    do throws(EditError) {
      return try EditAction(
        range: UTF16Range(offset..<offset), replacement: units, attributes: .set(runs))
    } catch { throw .refused(error) }
  }

  /// The actions, if the text after them has these bodies. `isTerminated` says whether there is a
  /// terminator at its end.
  func checked(
    _ actions: [EditAction], giving bodies: [UTF16Text], isTerminated: Bool
  ) throws(OutlineError) -> [EditAction] {
    var after = state
    do throws(EditError) {
      for action in actions { try after.apply(action) }
    } catch { throw .refused(error) }
    let text = OutlineText(
      Outline(of: after, rule: outline.rule), after, endsWithTerminator: isTerminated)
    // Blank bodies may leave no text at all.
    guard text.bodies == bodies || after.length == 0 && bodies.allSatisfy(\.isEmpty) else {
      throw .notReadable
    }
    return actions
  }
}
