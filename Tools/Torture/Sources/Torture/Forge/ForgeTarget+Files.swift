import EditLog
import EditModel
import Replay
import TestSupport
import TextState

extension ForgeTarget {
  static let smallFiles: [ForgeTarget] = [
    checkpoint("checkpoint-front", mustBeFound: true) { bytes, random in
      random.change(&bytes, in: 64..<136)
      bytes.seal(64..<136, at: 136)
    },
    // A frame has bits that mean nothing.
    checkpoint("checkpoint-payload", mustBeFound: false) { bytes, random in
      random.change(&bytes, in: 140..<bytes.count)
      bytes.seal(140..<bytes.count, at: 132)
      bytes.seal(64..<136, at: 136)
    },
    ForgeTarget(name: "checkpoint-state", forge: checkpointState),
    ForgeTarget(name: "mark-bytes") { store, random in
      guard var bytes = store.files[mark] else { return nil }
      random.change(&bytes, in: 64..<bytes.count)
      return Forgery("a byte", mark, bytes, mustBeFound: true)
    },
    ForgeTarget(name: "mark-gone") { _, _ in Forgery("all", mark, nil, mustBeFound: true) },
    ForgeTarget(name: "format") { store, random in
      let path = "/store/format"
      guard var bytes = store.files[path] else { return nil }
      let offset = 8 + random.below(52)
      let value = UInt8(random.below(256))
      for copy in [0, 4096] {
        bytes[copy + offset] = value
        bytes.seal(copy..<copy + 60, at: copy + 60)
      }
      return Forgery("byte \(offset)", path, bytes)
    },
    ForgeTarget(name: "stray-file") { store, random in
      let folder = random.pick(["/store", "/store/journal", "/store/documents"]) ?? "/store"
      return Forgery("a file more", "\(folder)/stray", [1, 2, 3], mustBeFound: true)
    },
  ]

  private static let mark = MarkParts.path

  /// A file's bytes with another document's number in the header.
  static func numbered(_ bytes: [UInt8], as number: UInt64) -> [UInt8] {
    var bytes = bytes
    bytes.put(number, at: 40, size: 8)
    bytes.seal(0..<60, at: 60)
    return bytes
  }

  private static func checkpoint(
    _ name: String, mustBeFound: Bool,
    _ change: @escaping @Sendable (inout [UInt8], inout SplitMix64) -> Void
  ) -> ForgeTarget {
    ForgeTarget(name: name) { store, random in
      guard let path = random.pick(store.paths(".checkpoint")), var bytes = store.files[path] else {
        return nil
      }
      change(&bytes, &random)
      return Forgery(name, path, bytes, mustBeFound: mustBeFound)
    }
  }

  /// The state of another version, or another text, under the head that belongs there.
  private static func checkpointState(
    _ store: ForgeStore, _ random: inout SplitMix64
  ) -> Forgery? {
    let document = store.documents[random.below(2)]
    let folder = "/store/documents/0000000000000000000\(document.number)/"
    guard let path = random.pick(store.paths(".checkpoint").filter({ $0.hasPrefix(folder) })),
      let sequence = path.split(separator: "/").last.flatMap({ SequenceNumber($0.prefix(20)) }),
      Int(sequence) < document.states.count
    else { return nil }
    var state = document.states[Int(sequence) - 1]
    let place = random.below(state.length + 1)
    guard
      (try? state.apply(EditAction(replacing: UTF16Range(place..<place), with: "forged"))) != nil
    else { return nil }
    let disk = SimulatedFileSystem(store.snapshot)
    guard
      let writer = try? StoreWriter(
        at: "/store", fileSystem: disk, random: SeededBytes(seed: 9), options: .small),
      (try? writer.writeCheckpoint(document.name, at: sequence, CheckpointCodec.encode(state)))
        != nil
    else { return nil }
    return Forgery("the state", path, disk[path], mustBeFound: true)
  }
}
