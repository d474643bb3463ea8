import Foundation
import Testing

@testable import Benchmarks

@Suite struct ReportTests {
  @Test func `a measurement has every key, nulls too`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let line = try encoder.encode(ReportLine("edits", "essay", 4.40499, "ns/edit"))
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"{"baseline":null,"figure":"edits","ratio":null,"samples":1,"trace":"essay","#
        + #""unit":"ns/edit","value":4.405}"#)
  }

  @Test func `a ratio is to the baseline of the same race`() throws {
    let samples = try race(
      [Contender("ours") { 30 }, Contender("theirs") { 10 }], .quick)
    let lines = [ReportLine]("edits", "essay", "ns", per: 10, samples, baseline: "theirs")
    #expect(lines.map(\.figure) == ["edits", "edits/theirs"])
    #expect(lines.map(\.value) == [3, 1])
    #expect(lines.map(\.ratio) == [3, nil])
    #expect(lines.map(\.baseline) == ["theirs", nil])
  }

  @Test(arguments: [(0.0, "0"), (1.5, "1.500"), (12_345.0, "12,350"), (0.012346, "0.01235")])
  func `numbers have four digits`(value: Double, text: String) {
    #expect(Numbers.text(value) == text)
  }
}
