@testable import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

@Suite struct RequestQueueTests {
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
      return open.sorted.map(\.document)
    }
    /// Removes what has ended from the front, and returns it.
    mutating func removeDone() -> [UInt64] {
      let start = first
      while first <= last, first < next, done.contains(first) {
        underWay.remove(first)
        first += 1
      }
      spooled = max(spooled, first - 1)
      return Array(start..<first)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func behavesLikeItsModel(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (queue, model) = (RequestQueue(), Model())
    for _ in 0..<500 {
      switch Int.random(in: 0..<14, using: &random) {
      case 0..<4: append(&queue, &model, &random)
      case 4..<8:
        let counter = queue.takeNextToSend(sizeMax: 100, countMax: 8)
        if let counter {
          #expect(counter == model.next)
          model.underWay.insert(counter)
          model.next += 1
        }
      case 8..<11:
        guard model.next > 1 else { continue }
        let counter = UInt64.random(in: 1..<model.next, using: &random)
        let ended = queue.end(counter, .success(.forwarded(JSON(counter))))
        guard counter >= model.first else {
          #expect(ended.isEmpty)
          continue
        }
        model.done.insert(counter)
        model.underWay.remove(counter)
        #expect(ended.map(\.counter) == model.removeDone())
        #expect(ended.allSatisfy { $0.outcome == .success(.forwarded(JSON($0.counter))) })
      case 11:
        queue.connectionLost()
        (model.next, model.underWay) = (model.first, [])
      case 12:
        guard !queue.unspooled.isEmpty else { continue }
        queue.spooled(at: 7)
        model.spooled += 1
      default:
        queue.forgetSpooled()
        if model.first <= model.spooled {
          model.forgotten.formUnion(model.first...model.spooled)
        }
      }
      check(queue, model)
    }
    let left = Array(model.first..<model.last + 1)
    let error = ProtocolError(.unreachable, "gone")
    let ended = queue.endAll(error)
    #expect(ended.map(\.counter) == left)
    for request in ended {
      let isDone = model.done.contains(request.counter)
      #expect(
        request.outcome == (isDone ? .success(.forwarded(JSON(request.counter))) : .failure(error)))
    }
    #expect(queue.isEmpty && queue.memorySize == 0 && queue.window == (0, 0))
  }

  private func append(
    _ queue: inout RequestQueue, _ model: inout Model, _ random: inout SplitMix64
  ) {
    let size = Int.random(in: 0..<60, using: &random)
    let name = document("d\(Int.random(in: 0..<3, using: &random))")
    let effect: OpenDocuments.Effect? =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: .open(name)
      case 1: .close(name)
      default: nil
      }
    queue.append(ByteParts([UInt8](repeating: 1, count: size)), effect)
    model.sizes.append(size)
    model.effects.append(effect)
  }

  private func check(_ queue: RequestQueue, _ model: Model) {
    let all = model.first..<model.last + 1
    #expect(queue.firstCounter == model.first)
    #expect(queue.lastCounter == model.last)
    #expect(queue.nextToSend == model.next)
    #expect(queue.unspooled == model.spooled + 1..<model.last + 1)
    #expect(queue.needsNoSpool == (model.spooled < model.first))
    #expect(queue.window.count == model.underWay.count)
    #expect(queue.window.size == model.size(model.underWay))
    #expect(queue.memorySize == model.size(all.filter { !model.forgotten.contains($0) }))
    #expect(queue.openDocuments.sorted.map(\.document) == model.open(before: model.first))
  }

  @Test func foldersAreRenamedWithWhatIsInThem() {
    var open = OpenDocuments(
      ["f:/a/x", "f:/a/y", "f:/ab", "f:/c"].map { ReopenedDocument(document($0), at: 7) })
    let params: JSON = [
      "files": [
        ["oldUri": "f:/a", "newUri": "f:/z"], ["oldUri": "f:/c", "newUri": "f:/d"],
        ["oldUri": "f:/none", "newUri": "f:/some"],
      ]
    ]
    if let effect = open.effect(of: "workspace/didRenameFiles", params) { open.apply(effect) }
    #expect(
      open.sorted
        == ["f:/ab", "f:/d", "f:/z/x", "f:/z/y"].map { ReopenedDocument(document($0), at: 7) })
  }

  @Test func anAnswerNamesTheVersionOfAnOpenDocument() {
    var open = OpenDocuments([ReopenedDocument(document("f:/a"))])
    func answer(_ name: String, _ sequence: SequenceNumber) -> JSON {
      ForwardResult(counter: 1, durable: true, document: document(name), sequence: sequence).json
    }
    open.note(answer("f:/a", 5))
    open.note(answer("f:/b", 6))
    open.note(ForwardResult(counter: 2, durable: true).json)
    open.note(.null)
    #expect(open.sorted == [ReopenedDocument(document("f:/a"), at: 5)])
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
