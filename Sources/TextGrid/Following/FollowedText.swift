public import EditModel
public import TextState

/// A document that several layouts follow at once, each with its own width or pages.
///
/// The document owns the layouts' cursors. A follower owns only a key to its cursor, and never the
/// document: when the follower is released, its cursor is freed. Layout is done when a follower asks
/// for an update, and then only for paragraphs that changed or came into view.
///
/// Use an instance and its followers from one isolation domain.
public final class FollowedText {
  /// The version.
  public private(set) var state: TextState
  private let formats: (TextState) -> any ParagraphFormats
  private let cursors = LayoutCursors()

  /// A document at a version.
  ///
  /// - Parameters:
  ///   - state: The version.
  ///   - formats: Makes the space around paragraphs for each version.
  public init(
    state: TextState = TextState(),
    formats: @escaping (TextState) -> any ParagraphFormats = { _ in PlainFormats() }
  ) {
    (self.state, self.formats) = (state, formats)
  }

  /// Cursors of followers that were not released yet.
  public var cursorCount: Int { cursors.all.count }

  /// Adds a follower. Its first update has all that is in view, whatever was edited before.
  public func follow(_ view: LayoutView) -> LayoutFollower {
    LayoutFollower(key: cursors.add(LayoutCursor(view)), cursors: cursors)
  }

  /// Applies an edit, and notes it for each follower. O(the edit + followers · touched paragraphs).
  ///
  /// - Throws: `EditError`, as `TextState.apply`. Nothing is then changed.
  @discardableResult
  public func apply(_ action: EditAction) throws(EditError) -> Change {
    let change = try state.apply(action)
    cursors.follow(change, in: state)
    return change
  }

  /// Takes the next version from a pipeline of stages, which runs before all layouts: these see the
  /// attributes that the stages derived, and change nothing. O(followers · touched paragraphs).
  ///
  /// - Parameters:
  ///   - state: The version after an edit, with what the stages made of it.
  ///   - change: The change by the edit.
  public func advance(to state: TextState, by change: Change) {
    self.state = state
    cursors.follow(change, in: state)
  }

  /// What a follower shows now.
  ///
  /// - Returns: The update; nil if the follower follows another document.
  public func update(_ follower: LayoutFollower) -> LayoutUpdate? {
    guard follower.cursors === cursors else { return nil }
    return cursors.update(follower.key, state, formats(state))
  }
}

/// The cursors of a document's followers.
final class LayoutCursors {
  private(set) var all: [Int: LayoutCursor] = [:]
  private var next = 0

  func add(_ cursor: LayoutCursor) -> Int {
    defer { next += 1 }
    all[next] = cursor
    return next
  }

  func remove(_ key: Int) { all[key] = nil }

  func follow(_ change: Change, in state: TextState) {
    for key in all.keys { all[key]?.follow(change, in: state) }
  }

  func move(_ key: Int, top: Int?, page: Int?) { all[key]?.move(top: top, page: page) }

  func update(
    _ key: Int, _ state: TextState, _ formats: some ParagraphFormats
  ) -> LayoutUpdate? {
    all[key]?.update(state, formats)
  }
}
