import EditModel
import Styling

extension Markup {
  /// What a paragraph is, and in how many quotes.
  struct Form: Hashable, Sendable {
    /// What it is inside the quotes.
    var block: Block
    /// The number of quotes around it, from 0 to `Block.levelMax`.
    var quote: Int

    /// A form. A quote that is deeper than `Block.levelMax` counts as that.
    init(_ block: Block, quote: Int = 0) {
      (self.block, self.quote) = (block, min(max(quote, 0), Block.levelMax))
    }

    /// The form that attributes make; text if they make none that is known. What they say else of kinds
    /// is noted as lost.
    init(_ attributes: AttributeSet, noting losses: inout Losses) {
      var block = Markup.kinds.lazy.compactMap { Block($0, attributes[$0]) }.first ?? .text
      if case .number(let level, _) = block {
        block = .number(level, start: ListCounters.start(attributes))
      }
      self.init(block)
      if case .integer(let level)? = attributes[Markup.quote],
        1...Block.levelMax ~= Int(clamping: level)
      {
        quote = Int(clamping: level)
      }
      let own = self.attributes
      for name in Markup.paragraphNames where attributes[name] != own[name] {
        losses.note(attribute: name)
      }
    }

    /// True if it is text outside of quotes.
    var isPlain: Bool { block == .text && quote == 0 }

    /// The attributes of all units of such a paragraph.
    var attributes: AttributeSet {
      quote == 0
        ? block.attributes
        : block.attributes.merging([Markup.quote: .integer(Int64(quote))])
    }
  }
}
