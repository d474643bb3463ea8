public import EditModel

/// What is known about a section of an outline, without its location: an edit in another section does
/// not change it.
public struct SectionHeader: Hashable, Sendable {
  /// The text of the heading, without its marks and its terminator; nil before the first heading.
  public let heading: UTF16Text?
  /// The heading's level, from 1; 0 before the first heading.
  public let level: Int
  /// Runs of characters that are not white space, those of the heading's text among them.
  public let wordCount: Int
  /// Characters as people count them, without terminators.
  public let characterCount: Int
  /// The number of the edit that created its oldest paragraph.
  public let firstEdit: SequenceNumber
  /// The last edit of the group that last changed its paragraphs; nil if none did since the storage
  /// began.
  public let lastEdit: SequenceNumber?

  init(_ section: FollowedOutline.Section, lastEdit: SequenceNumber?) {
    (heading, level) = (section.heading, section.level)
    (wordCount, characterCount) = (section.wordCount, section.characterCount)
    (firstEdit, self.lastEdit) = (section.firstEdit, lastEdit)
  }
}
