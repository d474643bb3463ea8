import Foundation
import Testing

/// Which tests show the features that EditLog took over from the text systems it learned from: attributes
/// with effects, decorations, layout, lists of contents, and edits that are stated and grouped.
///
/// The numbers are those of the list of features; tests name them as rows.
@Suite struct FeatureTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var number: String
    /// What the tests show.
    var check: String
    /// The files of the tests, under `Tests`, and the names of the functions.
    var tests: [String]

    init(_ number: String, _ check: String, _ tests: String...) {
      (self.number, self.check, self.tests) = (number, check, tests)
    }

    var testDescription: String { "\(number) \(check)" }
  }

  static let rows: [Row] = [
    Row(
      "4", "identifiers have runs, as attributes have",
      "EditQueriesTests/ParagraphQueryTests.runsAreThoseOfUnits",
      "EditLogCLITests/ParagraphVerbTests.a version has its identifiers in JSON"),
    Row(
      "7", "a removed paragraph is told with its old text or its digest",
      "EditDaemonTests/ChangeDeliveryTests.longRemovedParagraphsHaveADigest"),
    Row(
      "8", "every touched paragraph is styled, those in the middle too",
      "ProjectionsTests/HostedTextTests.middleParagraphsAreStyled",
      "ProjectionsTests/EditStageTests.middleParagraphsAreStyledAndOtherAttributesStay"),
    Row(
      "11", "ranges of paragraphs with each treatment of an empty last piece",
      "TextStateTests/LookupTests.piecesOfARange"),
    Row(
      "13", "a list of paragraphs is repaired, and the repairs are reported",
      "ProjectionsTests/ParagraphRepairTests.aModelIsRepaired",
      "EditLogCLITests/InterchangeVerbTests.repairsAreReported",
      "EditLogCLITests/InterchangeVerbTests.itemsAreMappedToParagraphs"),
    Row(
      "18", "what is imported is there", "EditLogCLITests/InterchangeVerbTests.aVersionComesBack",
      "EditLogCLITests/InterchangeVerbTests.markupComesBackAndLossesAreSaid",
      "EditLogCLITests/InterchangeVerbTests.a file without text is an empty document"),
    Row(
      "19-20", "no attribute, no call; a second registration replaces",
      "StylingTests/DecorationTests.aSecondRegistrationReplacesInItsLayer"),
    Row(
      "21", "two layers: the background first",
      "StylingTests/DecorationTests.theBackgroundComesFirst"),
    Row(
      "22-24", "ranges of each granularity, against an oracle and the case file",
      "StylingTests/DecorationTests.ranges"),
    Row(
      "25", "both ranges are in every call",
      "StylingTests/DecorationTests.aCallHasTheRunAndWhatItIsExpandedTo"),
    Row(
      "26-27", "rectangles, and the first row",
      "RenderingTests/SheetTests.decorations have rectangles"),
    Row(
      "28", "units and cells map to each other",
      "TextGridTests/CellTests.units and cells map to each other"),
    Row(
      "29", "equal neighbours are one run",
      "InterchangeTests/AttributedTextTests.equalNeighboursAreJoined"),
    Row(
      "30", "built-in decorations, by golden files",
      "RenderingTests/GoldenTests.decorations look as they did"),
    Row(
      "31", "margins and paddings of blocks",
      "RenderingTests/SheetTests.margins are outside of a block, paddings inside"),
    Row(
      "32", "the empty row at the end", "TextGridTests/RowTests.the extra row has no units"),
    Row(
      "34", "attachments take cells", "TextGridTests/AttachmentTests.attachments take cells",
      "RenderingTests/AttachmentSheetTests.frames have a name",
      "RenderingTests/MediaFormatTests.bytesSayWhatTheyAre",
      "EditLogCLITests/InterchangeVerbTests.attachmentsAreWhatTheirBytesSay"),
    Row(
      "35", "letters in another case, with a map back",
      "TextGridTests/DisplayCaseTests.cells map back to the units of the text"),
    Row(
      "36", "a text is cut to rows, with a sign",
      "TextGridTests/TruncationTests.a text is cut to rows"),
    Row(
      "37", "the latest style wins, from root to leaf",
      "StylingTests/ThemeTests.theLatestStyleWins"),
    Row(
      "38", "an edit for an older text is refused whole",
      "EditDaemonTests/FeatureRowTests.staleEditsAreRefusedWhole",
      "EditDaemonTests/ServerAppendTests.anotherBaseIsAConflict"),
    Row(
      "39", "a batch is one group", "EditDaemonTests/FeatureRowTests.aBatchIsOneGroup",
      "EditDaemonTests/ServerAppendTests.aRequestIsLoggedWholeOrNotAtAll"),
    Row(
      "40", "strokes make steps by kind and pause",
      "ProjectionsTests/UndoGroupingTests.typingIsOneStep",
      "ProjectionsTests/UndoGroupingTests.aPauseIsCountedFromTheLastStroke"),
    Row(
      "41", "followers learn whether there is something to undo and redo",
      "EditDaemonTests/UndoStateTests.eachFlipIsTold"),
    Row(
      "42", "undo gives selections back",
      "EditDaemonTests/ServerSelectionTests.theyAreKeptThroughARestartAndGivenBack",
      "EditDaemonTests/ServerSelectionTests.theyAreGivenBackByAnUndoOfConditions"),
    Row(
      "43", "origins are stated or derived",
      "EditDaemonTests/FeatureRowTests.originsAreStatedOrDerived"),
    Row(
      "44", "origins decide about steps",
      "EditDaemonTests/FeatureRowTests.originsDecideAboutSteps",
      "ProjectionsTests/UndoGroupingTests.onlyStrokesJoin"),
    Row(
      "45", "pending attributes apply to inserted units",
      "EditDaemonTests/TypingAttributesTests.typedUnitsGetTheAttributes"),
    Row(
      "46", "a composition is one step and keeps its attributes",
      "EditDaemonTests/TypingAttributesTests.aCompositionIsOneStepAndKeepsItsAttributes"),
    Row(
      "47", "paste keeps its attributes",
      "EditDaemonTests/FeatureRowTests.pasteKeepsItsAttributes"),
    Row(
      "48", "wrong states are refused with a reason",
      "EditDaemonTests/TypingAttributesTests.wrongStatesAreRefusedWithAReason"),
    Row(
      "49-50", "ranges and paragraphs are styled",
      "EditDaemonTests/TypingAttributesTests.rangesAndParagraphsAreStyled"),
    Row(
      "51", "patterns are marked and unmarked",
      "StylingTests/RuleStageTests.matchesOfPatternsAreMarkedAndUnmarked"),
    Row(
      "52", "an address that ends at the caret becomes a link",
      "StylingTests/LinkTests.anAddressThatEndsAtTheCaretBecomesALink"),
    Row(
      "53", "what a caret finds: a link first", "StylingTests/LinkTests.linksComeFirstThenPatterns"),
    Row(
      "54", "active tags are those of the unit before",
      "StylingTests/LinkTests.activeTagsAreThoseOfTheUnitBefore"),
    Row(
      "55", "attachments split and merge texts",
      "InterchangeTests/ContentsTests.splitAndMergeKeepEverything",
      "EditDaemonTests/ServerAttachmentTests.attachmentsAreInsertedAmongContents"),
    Row(
      "56", "XML by a rule, out and in", "InterchangeTests/XMLTests.theReferenceWritesThis",
      "InterchangeTests/XMLTests.everythingComesBack"),
    Row("56b", "rules of tags: disabled first", "StylingTests/TagRulesTests.precedence"),
    Row(
      "57", "sections are followed with each key",
      "ProjectionsTests/ParagraphStorageTests.aKeyReadsItsParagraph"),
    Row(
      "59", "an algorithm that is wrong is refused",
      "ModelStorageTests/OperationTests.aWrongDifferenceIsAnAnomaly"),
    Row(
      "61", "changes of sections are told",
      "EditDaemonTests/ChangeDeliveryTests.sectionsAreFollowed"),
    Row(
      "74-75", "paragraphs have the heading of their section, sections a key",
      "SQLiteProjectionTests/ProjectorOracleTests.sectionsAreThoseOfTheText"),
    Row(
      "78", "the first renderer that fits",
      "StylingTests/RendererTableTests.theFirstCandidateThatFitsIsTaken"),
    Row(
      "82", "stages run in order, layouts after them",
      "ProjectionsTests/EditStageTests.stagesRunInOrderAndSeeWhatEarlierOnesMade",
      "TextGridTests/FollowedTextTests.layouts see what stages derive"),
    Row(
      "83", "a stage that replaces text is refused",
      "ProjectionsTests/EditStageTests.aStageThatReplacesTextIsRefused"),
    Row(
      "84", "the edited range and the wider one",
      "StylingTests/RuleStageTests.readersGetTheEditedAndTheWiderRange"),
    Row(
      "85", "several layouts follow one document",
      "TextGridTests/FollowedTextTests.all followers show the document"),
    Row("86", "text flows through pages", "TextGridTests/PageTests.text flows through pages"),
    Row(
      "87", "rows and pages of one document at once",
      "TextGridTests/FollowedTextTests.all followers show the document",
      "TextGridTests/FollowedTextTests.pages before an edit are not laid out again"),
    Row(
      "88", "no fragment is in a hole",
      "TextGridTests/PageTests.pages are the text, and no fragment is in a hole"),
    Row(
      "89", "only what is in view is laid out",
      "TextGridTests/LayoutWorkTests.many paragraphs cost no more than some"),
    Row(
      "90", "one suite for all storages, and styles of any",
      "TextGridTests/StorageTests.the four operations",
      "RenderingTests/SheetTests.any storage is enough for styles"),
    Row(
      "91", "words of a pattern, in touched paragraphs",
      "StylingTests/RuleStageTests.theWordsOfTheArticleMatch",
      "StylingTests/RuleStageTests.onlyTouchedParagraphsAreStyled"),
    Row(
      "92", "a dropped follower frees its cursor",
      "TextGridTests/FollowedTextTests.a released follower frees its cursor"),
    Row(
      "93", "what is rendered is read only",
      "EditLogCLITests/RenderVerbTests.what is rendered is read only"),
  ]

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test(arguments: rows)
  func `each feature has its tests`(row: Row) throws {
    #expect(!row.tests.isEmpty)
    for name in row.tests {
      let dot = try #require(name.firstIndex(of: "."), "\(name)")
      let file = Self.root.appending(path: "\(name[..<dot]).swift")
      let text = try String(contentsOf: file, encoding: .utf8)
      let function = name[name.index(after: dot)...]
      let declaration = function.contains(" ") ? "func `\(function)`(" : "func \(function)("
      #expect(text.contains(declaration), "\(row.number): no test \(name)")
    }
  }

  @Test func `no row is there twice`() {
    #expect(Set(Self.rows.map(\.number)).count == Self.rows.count)
  }
}
