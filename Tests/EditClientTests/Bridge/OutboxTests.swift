@testable import EditClient
import EditModel
import EditProtocol
import TestSupport
import Testing

@Suite struct OutboxTests {
  /// The same by arrays alone.
  private struct Model {
    var effects: [OpenDocuments.Effect?] = []
    var sizes: [Int] = []
    var done: Set<UInt64> = []
    var first: UInt64 = 1
    var next: UInt64 = 1
    var underWay: Set<UInt64> = []
    var forgotten: Set<UInt64> = []
    var spooled: UInt64 = 0

    var last: UInt64 { UInt64(sizes.count) }
    func size(_ counters: some Sequence<UInt64>) -> Int {
      counters.reduce(0) { $0 + sizes[Int($1) - 1] }
    }
    func open(before counter: UInt64) -> [DocumentID] {
      var open = OpenDocuments()
      for effect in effects.prefix(Int(counter) - 1) { if let effect { open.apply(effect) } }
      return open.sorted
    }
    mutating func removeDone() {
      while first <= last, first < next, done.contains(first) {
        underWay.remove(first)
        first += 1
      }
      spooled = max(spooled, first - 1)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func behavesAsItsModel(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (outbox, model) = (Outbox(), Model())
    for _ in 0..<500 {
      switch Int.random(in: 0..<14, using: &random) {
      case 0..<4: append(&outbox, &model, &random)
      case 4..<8:
        let counter = outbox.takeNextToSend(flightSizeMax: 100, flightCountMax: 8)
        if let counter {
          #expect(counter == model.next)
          model.underWay.insert(counter)
          model.next += 1
        }
      case 8..<11:
        guard model.next > 1 else { continue }
        let counter = UInt64.random(in: 1..<model.next, using: &random)
        outbox.finish(counter)
        guard counter >= model.first else { continue }
        model.done.insert(counter)
        model.underWay.remove(counter)
        model.removeDone()
      case 11:
        outbox.connectionLost()
        (model.next, model.underWay) = (model.first, [])
      case 12:
        guard !outbox.unspooled.isEmpty else { continue }
        outbox.spooled(at: 7)
        model.spooled += 1
      default:
        outbox.forgetSpooled()
        if model.first <= model.spooled {
          model.forgotten.formUnion(model.first...model.spooled)
        }
      }
      check(outbox, model)
    }
  }

  private func append(_ outbox: inout Outbox, _ model: inout Model, _ random: inout SplitMix64) {
    let size = Int.random(in: 0..<60, using: &random)
    let name = document("d\(Int.random(in: 0..<3, using: &random))")
    let effect: OpenDocuments.Effect? =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .open(name)
      case 1: .close(name)
      default: nil
      }
    outbox.append([UInt8](repeating: 1, count: size), effect)
    model.sizes.append(size)
    model.effects.append(effect)
  }

  private func check(_ outbox: Outbox, _ model: Model) {
    let all = model.first..<model.last + 1
    #expect(outbox.firstCounter == model.first)
    #expect(outbox.lastCounter == model.last)
    #expect(outbox.nextToSend == model.next)
    #expect(outbox.unspooled == model.spooled + 1..<model.last + 1)
    #expect(outbox.needsNoSpool == (model.spooled < model.first))
    #expect(outbox.flight.count == model.underWay.count)
    #expect(outbox.flight.size == model.size(model.underWay))
    #expect(outbox.memorySize == model.size(all.filter { !model.forgotten.contains($0) }))
    #expect(outbox.acknowledgedOpen.sorted == model.open(before: model.first))
    #expect(outbox.open.sorted == model.open(before: model.last + 1))
  }

  @Test func foldersAreRenamedWithWhatIsInThem() {
    var open = OpenDocuments(["f:/a/x", "f:/a/y", "f:/ab", "f:/c"].map(document))
    let params: JSON = [
      "files": [
        ["oldUri": "f:/a", "newUri": "f:/z"], ["oldUri": "f:/c", "newUri": "f:/d"],
        ["oldUri": "f:/none", "newUri": "f:/some"],
      ]
    ]
    if let effect = open.effect(of: "workspace/didRenameFiles", params) { open.apply(effect) }
    #expect(open.sorted.map(\.name) == ["f:/ab", "f:/d", "f:/z/x", "f:/z/y"])
  }

  @Test func useOpensADocument() {
    var open = OpenDocuments()
    let params: JSON = ["textDocument": ["uri": "f:/a"]]
    #expect(open.effect(of: "textDocument/didClose", params) == nil)
    let effect = open.effect(of: "textDocument/didChange", params)
    #expect(effect == .open(document("f:/a")))
    open.apply(.open(document("f:/a")))
    #expect(open.effect(of: "textDocument/didSave", params) == nil)
    #expect(open.effect(of: "textDocument/didClose", params) == .close(document("f:/a")))
    #expect(open.effect(of: "textDocument/didSave", ["textDocument": 1]) == nil)
  }
}
