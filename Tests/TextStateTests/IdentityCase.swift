import Testing

/// One edit after some others, and what it must do to paragraphs. Identifiers are numbered in
/// the order of creation.
struct IdentityCase: Sendable, CustomTestStringConvertible {
  /// What is edited.
  let name: String
  /// The edits before: each replaces units by text.
  let steps: [(location: Int, length: Int, text: String)]
  /// The edit: a replacement, or nil for a change of attributes.
  let edit: (location: Int, length: Int, text: String?)
  /// The paragraphs' identifiers after the edit.
  let ids: String
  /// The text after the edit.
  let text: String
  /// The events of the edit.
  let events: String

  var testDescription: String { name }
}

extension IdentityCase {
  /// What editing a paragraph-tracking text storage should give: its known test cases, with the
  /// outcome under our rules.
  static let reference: [IdentityCase] = [
    IdentityCase(
      name: "insert first paragraphs",
      steps: [],
      edit: (0, 0, "First paragraph\nSecond paragraph"),
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraph",
      events: "edited 0 p0 16, inserted 1 p1 16"),
    IdentityCase(
      name: "insert empty at beginning",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (0, 0, "\n"),
      ids: "p3 p0 p1 p2",
      text: "\nFirst paragraph\nSecond paragraph\nThirdParagraph",
      events: "inserted 0 p3 1"),
    IdentityCase(
      name: "insert nonempty at beginning",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (0, 0, "\naddition"),
      ids: "p3 p0 p1 p2",
      text: "\nadditionFirst paragraph\nSecond paragraph\nThirdParagraph",
      events: "inserted 0 p3 1, edited 1 p0 24"),
    IdentityCase(
      name: "insert empty in middle",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (3, 5, "\n"),
      ids: "p0 p3 p1 p2",
      text: "Fir\nragraph\nSecond paragraph\nThirdParagraph",
      events: "edited 0 p0 4, inserted 1 p3 8"),
    IdentityCase(
      name: "insert nonempty in middle",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (3, 5, "\naddition"),
      ids: "p0 p3 p1 p2",
      text: "Fir\nadditionragraph\nSecond paragraph\nThirdParagraph",
      events: "edited 0 p0 4, inserted 1 p3 16"),
    IdentityCase(
      name: "insert empty between paragraphs",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (16, 0, "\n"),
      ids: "p0 p3 p1 p2",
      text: "First paragraph\n\nSecond paragraph\nThirdParagraph",
      events: "inserted 1 p3 1"),
    IdentityCase(
      name: "insert nonempty between paragraphs",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (16, 0, "addition\n"),
      ids: "p0 p3 p1 p2",
      text: "First paragraph\naddition\nSecond paragraph\nThirdParagraph",
      events: "inserted 1 p3 9"),
    IdentityCase(
      name: "insert empty at end",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird")
      ],
      edit: (38, 0, "\n"),
      ids: "p0 p1 p2 p3",
      text: "First paragraph\nSecond paragraph\nThird\n",
      events: "edited 2 p2 6, inserted 3 p3 0"),
    IdentityCase(
      name: "insert nonempty at end",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird")
      ],
      edit: (38, 0, "\naddition"),
      ids: "p0 p1 p2 p3",
      text: "First paragraph\nSecond paragraph\nThird\naddition",
      events: "edited 2 p2 6, inserted 3 p3 8"),
    IdentityCase(
      name: "edit first paragraph",
      steps: [],
      edit: (0, 0, "First paragraph"),
      ids: "p0",
      text: "First paragraph",
      events: "edited 0 p0 15"),
    IdentityCase(
      name: "edit paragraph at beginning",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (0, 0, "addition"),
      ids: "p0 p1 p2",
      text: "additionFirst paragraph\nSecond paragraph\nThirdParagraph",
      events: "edited 0 p0 24"),
    IdentityCase(
      name: "edit paragraph in middle",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph")
      ],
      edit: (3, 5, "addition"),
      ids: "p0 p1",
      text: "Firadditionragraph\nSecond paragraph",
      events: "edited 0 p0 19"),
    IdentityCase(
      name: "edit paragraph at end",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph")
      ],
      edit: (32, 0, "addition"),
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraphaddition",
      events: "edited 1 p1 24"),
    IdentityCase(
      name: "edit empty paragraph at end",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\n")
      ],
      edit: (33, 0, "a"),
      ids: "p0 p1 p2",
      text: "First paragraph\nSecond paragraph\na",
      events: "edited 2 p2 1"),
    IdentityCase(
      name: "delete paragraph in middle",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph\nFourth paragraph")
      ],
      edit: (15, 5, ""),
      ids: "p0 p2 p3",
      text: "First paragraphnd paragraph\nThird paragraph\nFourth paragraph",
      events: "removed 1 p1, edited 0 p0 28"),
    IdentityCase(
      name: "delete paragraph at end",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph")
      ],
      edit: (32, 5, ""),
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraphd paragraph",
      events: "removed 2 p2, edited 1 p1 27"),
    IdentityCase(
      name: "delete whole paragraph at beginning",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph")
      ],
      edit: (0, 16, ""),
      ids: "p1 p2",
      text: "Second paragraph\nThird paragraph",
      events: "removed 0 p0"),
    IdentityCase(
      name: "delete whole paragraph in middle",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph\nFourth paragraph")
      ],
      edit: (16, 17, ""),
      ids: "p0 p2 p3",
      text: "First paragraph\nThird paragraph\nFourth paragraph",
      events: "removed 1 p1"),
    IdentityCase(
      name: "delete whole paragraph at end",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph")
      ],
      edit: (32, 16, ""),
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraph",
      events: "removed 2 p2, edited 1 p1 16"),
    IdentityCase(
      name: "delete whole paragraph at beginning and edit next one",
      steps: [
        (0, 0, "First paragraph\nSecond💋 paragraph\nThird paragraph\nFourth paragraph")
      ],
      edit: (0, 19, ""),
      ids: "p1 p2 p3",
      text: "ond💋 paragraph\nThird paragraph\nFourth paragraph",
      events: "removed 0 p0, edited 0 p1 16"),
    IdentityCase(
      name: "delete whole two paragraphs at beginning and edit next one",
      steps: [
        (0, 0, "First paragraph\nSeco💋nd paragraph\nThird paragraph")
      ],
      edit: (0, 38, ""),
      ids: "p2",
      text: "rd paragraph",
      events: "removed 1 p1, removed 0 p0, edited 0 p2 12"),
    IdentityCase(
      name:
        "delete whole two paragraphs at beginning editing the next one and insert new paragraph",
      steps: [
        (0, 0, "First paragraph\nSecond pa💋ragraph\nThird paragraph\nFourth paragraph")
      ],
      edit: (0, 38, "new paragraph\n"),
      ids: "p0 p2 p3",
      text: "new paragraph\nrd paragraph\nFourth paragraph",
      events: "removed 1 p1, edited 0 p0 14, edited 1 p2 13"),
    IdentityCase(
      name: "delete two paragraphs in middle editing the next one and insert new paragraph",
      steps: [
        (0, 0, "First paragraph\nSecond parag💋raph\nThird paragraph\nFourth paragraph")
      ],
      edit: (15, 21, "new paragraph\n"),
      ids: "p0 p2 p3",
      text: "First paragraphnew paragraph\nhird paragraph\nFourth paragraph",
      events: "removed 1 p1, edited 0 p0 29, edited 1 p2 15"),
    IdentityCase(
      name: "delete one paragraph in middle editing the next one and insert new paragraph",
      steps: [
        (0, 0, "First paragraph\nSecond parag💋raph\nThird paragraph\nFourth paragraph")
      ],
      edit: (34, 3, "new paragraph\n"),
      ids: "p0 p1 p2 p3",
      text: """
        First paragraph\nSecond parag💋raphnew paragraph\nird paragraph\nFourth \
        paragraph
        """,
      events: "edited 1 p1 32, edited 2 p2 14"),
    IdentityCase(
      name:
        "incrementally add and edit paragraph at end and periodically insert new paragraph in middle",
      steps: [
        (0, 0, "0"), (1, 0, "\n"), (2, 0, "1"), (3, 0, "\n"), (4, 0, "2"), (5, 0, "\n"),
        (6, 0, "3"), (7, 0, "\n"), (8, 0, "4"), (9, 0, "\n"), (10, 0, "5"), (11, 0, "\n"),
        (12, 0, "6"), (13, 0, "\n"), (14, 0, "7"), (15, 0, "\n"), (16, 0, "8"), (17, 0, "\n"),
        (18, 0, "9"), (19, 0, "\n"), (10, 0, "\n"), (10, 0, "10"), (23, 0, "10"),
        (25, 0, "\n"), (26, 0, "11"), (28, 0, "\n"), (29, 0, "12"), (31, 0, "\n"),
        (32, 0, "13"), (34, 0, "\n"), (35, 0, "14"), (37, 0, "\n"), (38, 0, "15"),
        (40, 0, "\n"), (41, 0, "16"), (43, 0, "\n"), (44, 0, "17"), (46, 0, "\n"),
        (47, 0, "18"), (49, 0, "\n"), (50, 0, "19"), (52, 0, "\n"), (35, 0, "\n"),
        (35, 0, "20"), (56, 0, "20"), (58, 0, "\n"), (59, 0, "21"), (61, 0, "\n"),
        (62, 0, "22"), (64, 0, "\n"), (65, 0, "23"), (67, 0, "\n"), (68, 0, "24"),
        (70, 0, "\n"), (71, 0, "25"), (73, 0, "\n"), (74, 0, "26"), (76, 0, "\n"),
        (77, 0, "27"), (79, 0, "\n"), (80, 0, "28"), (82, 0, "\n"), (83, 0, "29"),
        (85, 0, "\n"), (65, 0, "\n"), (65, 0, "30"), (89, 0, "30"), (91, 0, "\n"),
        (92, 0, "31"), (94, 0, "\n"), (95, 0, "32"), (97, 0, "\n"), (98, 0, "33"),
        (100, 0, "\n"), (101, 0, "34"), (103, 0, "\n"), (104, 0, "35"), (106, 0, "\n"),
        (107, 0, "36"), (109, 0, "\n"), (110, 0, "37"), (112, 0, "\n"), (113, 0, "38"),
        (115, 0, "\n"), (116, 0, "39"), (118, 0, "\n"), (95, 0, "\n"), (95, 0, "40"),
        (122, 0, "40"), (124, 0, "\n"), (125, 0, "41"), (127, 0, "\n"), (128, 0, "42"),
        (130, 0, "\n"), (131, 0, "43"), (133, 0, "\n"), (134, 0, "44"), (136, 0, "\n"),
        (137, 0, "45"), (139, 0, "\n"), (140, 0, "46"), (142, 0, "\n"), (143, 0, "47"),
        (145, 0, "\n"), (146, 0, "48"), (148, 0, "\n"), (149, 0, "49"),
      ],
      edit: (151, 0, "\n"),
      ids: """
        p0 p1 p2 p3 p4 p11 p5 p6 p7 p8 p9 p10 p12 p13 p14 p22 p15 p16 p17 p18 p19 p20 \
        p21 p23 p24 p33 p25 p26 p27 p28 p29 p30 p31 p32 p34 p44 p35 p36 p37 p38 p39 \
        p40 p41 p42 p43 p45 p46 p47 p48 p49 p50 p51 p52 p53 p54
        """,
      text: """
        0\n1\n2\n3\n4\n10\n5\n6\n7\n8\n9\n10\n11\n12\n13\n20\n14\n15\n16\n17\n18\n19\n\
        20\n21\n22\n30\n23\n24\n25\n26\n27\n28\n29\n30\n31\n40\n32\n33\n34\n35\n36\n37\
        \n38\n39\n40\n41\n42\n43\n44\n45\n46\n47\n48\n49\n
        """,
      events: "edited 53 p53 3, inserted 54 p54 0"),
    IdentityCase(
      name: "incrementally add and edit paragraph at end and them delete bunch of them",
      steps: [
        (0, 0, "0"), (1, 0, "\n"), (2, 0, "1"), (3, 0, "\n"), (4, 0, "2"), (5, 0, "\n"),
        (6, 0, "3"), (7, 0, "\n"), (8, 0, "4"), (9, 0, "\n"), (10, 0, "5"), (11, 0, "\n"),
        (12, 0, "6"), (13, 0, "\n"), (14, 0, "7"), (15, 0, "\n"), (16, 0, "8"), (17, 0, "\n"),
        (18, 0, "9"), (19, 0, "\n"), (20, 0, "10"), (22, 0, "\n"), (23, 0, "11"),
        (25, 0, "\n"), (26, 0, "12"), (28, 0, "\n"), (29, 0, "13"), (31, 0, "\n"),
        (32, 0, "14"), (34, 0, "\n"), (35, 0, "15"), (37, 0, "\n"), (38, 0, "16"),
        (40, 0, "\n"), (41, 0, "17"), (43, 0, "\n"), (44, 0, "18"), (46, 0, "\n"),
        (47, 0, "19"), (49, 0, "\n"), (50, 0, "20"), (52, 0, "\n"), (53, 0, "21"),
        (55, 0, "\n"), (56, 0, "22"), (58, 0, "\n"), (59, 0, "23"), (61, 0, "\n"),
        (62, 0, "24"), (64, 0, "\n"), (65, 0, "25"), (67, 0, "\n"), (68, 0, "26"),
        (70, 0, "\n"), (71, 0, "27"), (73, 0, "\n"), (74, 0, "28"), (76, 0, "\n"),
        (77, 0, "29"), (79, 0, "\n"), (80, 0, "30"), (82, 0, "\n"), (83, 0, "31"),
        (85, 0, "\n"), (86, 0, "32"), (88, 0, "\n"), (89, 0, "33"), (91, 0, "\n"),
        (92, 0, "34"), (94, 0, "\n"), (95, 0, "35"), (97, 0, "\n"), (98, 0, "36"),
        (100, 0, "\n"), (101, 0, "37"), (103, 0, "\n"), (104, 0, "38"), (106, 0, "\n"),
        (107, 0, "39"), (109, 0, "\n"), (110, 0, "40"), (112, 0, "\n"), (113, 0, "41"),
        (115, 0, "\n"), (116, 0, "42"), (118, 0, "\n"), (119, 0, "43"), (121, 0, "\n"),
        (122, 0, "44"), (124, 0, "\n"), (125, 0, "45"), (127, 0, "\n"), (128, 0, "46"),
        (130, 0, "\n"), (131, 0, "47"), (133, 0, "\n"), (134, 0, "48"), (136, 0, "\n"),
        (137, 0, "49"), (139, 0, "\n"),
      ],
      edit: (5, 130, ""),
      ids: "p0 p1 p2 p49 p50",
      text: "0\n1\n28\n49\n",
      events: """
        removed 48 p48, removed 47 p47, removed 46 p46, removed 45 p45, removed 44 \
        p44, removed 43 p43, removed 42 p42, removed 41 p41, removed 40 p40, removed \
        39 p39, removed 38 p38, removed 37 p37, removed 36 p36, removed 35 p35, \
        removed 34 p34, removed 33 p33, removed 32 p32, removed 31 p31, removed 30 \
        p30, removed 29 p29, removed 28 p28, removed 27 p27, removed 26 p26, removed \
        25 p25, removed 24 p24, removed 23 p23, removed 22 p22, removed 21 p21, \
        removed 20 p20, removed 19 p19, removed 18 p18, removed 17 p17, removed 16 \
        p16, removed 15 p15, removed 14 p14, removed 13 p13, removed 12 p12, removed \
        11 p11, removed 10 p10, removed 9 p9, removed 8 p8, removed 7 p7, removed 6 \
        p6, removed 5 p5, removed 4 p4, removed 3 p3, edited 2 p2 3
        """),
    IdentityCase(
      name: "replace all paragraphs with two new paragraphs",
      steps: [
        (0, 0, "First paragraph\nSecond 💋paragraph\nThird paragraph")
      ],
      edit: (0, 50, "new paragraph\nanotherParagraph"),
      ids: "p0 p2",
      text: "new paragraph\nanotherParagraph",
      events: "removed 1 p1, edited 0 p0 14, edited 1 p2 16"),
    IdentityCase(
      name: "insert blank paragraph in middle and insert another one",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph\nFourthOne"),
        (16, 0, "\n"),
      ],
      edit: (34, 0, "\n"),
      ids: "p0 p4 p1 p5 p2 p3",
      text: "First paragraph\n\nSecond paragraph\n\nThird paragraph\nFourthOne",
      events: "inserted 3 p5 1"),
    IdentityCase(
      name: "delete paragraph in middle and editing the next one",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph💋\nThirdParagraph")
      ],
      edit: (15, 1, "\naddition"),
      ids: "p0 p1 p2",
      text: "First paragraph\nadditionSecond paragraph💋\nThirdParagraph",
      events: "edited 1 p1 27"),
    IdentityCase(
      name: "insert between paragraphs blank paragraph editing the next one",
      steps: [
        (0, 0, "First paragraph\nSe🤙cond paragraph\nThirdParagraph")
      ],
      edit: (16, 1, "\naddition"),
      ids: "p0 p3 p1 p2",
      text: "First paragraph\n\nadditione🤙cond paragraph\nThirdParagraph",
      events: "inserted 1 p3 1, edited 2 p1 26"),
    IdentityCase(
      name: "incremental editing and inserting paragraph",
      steps: [
        (0, 0, "1"),
        (1, 0, "\n"),
      ],
      edit: (2, 0, "2"),
      ids: "p0 p1",
      text: "1\n2",
      events: "edited 1 p1 1"),
    IdentityCase(
      name: "incremental editing and make first paragraph empty",
      steps: [
        (0, 0, "1\n2")
      ],
      edit: (0, 1, ""),
      ids: "p0 p1",
      text: "\n2",
      events: "edited 0 p0 1"),
    IdentityCase(
      name: "incremental editing and make middle paragraph empty",
      steps: [
        (0, 0, "1\n2\n3")
      ],
      edit: (2, 1, ""),
      ids: "p0 p1 p2",
      text: "1\n\n3",
      events: "edited 1 p1 1"),
    IdentityCase(
      name: "incremental editing and make last paragraph empty",
      steps: [
        (0, 0, "1\n2")
      ],
      edit: (2, 1, ""),
      ids: "p0 p1",
      text: "1\n",
      events: "edited 1 p1 0"),
    IdentityCase(
      name: "set custom text attributes",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")
      ],
      edit: (15, 5, nil),
      ids: "p0 p1 p2",
      text: "First paragraph\nSecond paragraph\nThirdParagraph",
      events: "restyled 0 p0 15 1, restyled 1 p1 16 4"),
  ]
}
