import EditLog
import EditModel

extension Figure {
  /// What a whole history takes on disk.
  static let bytes = Figure(
    name: "bytes",
    summary:
      "all files of a sealed history but checkpoints, parity apart: as sealed while recording and compacted, "
      + "with and without times and authors; what others take"
  ) { session in
    for trace in session.traces {
      let reference = Peers.reference.bytes[trace.name].map { (Peers.reference.name, $0) }
      func lines(_ name: String, _ bytes: Int) -> [ReportLine] {
        let count = Double(trace.edits.count)
        return [
          ReportLine(
            "bytes/\(name)", trace.name, Double(bytes), "bytes",
            baseline: reference.map { ($0.0, Double($0.1)) }),
          ReportLine("bytes/\(name)/edit", trace.name, Double(bytes) / count, "bytes/edit"),
        ]
      }
      for provenance in Provenance.allCases {
        let entries = trace.entries(provenance)
        let store = try BenchStore()
        let writer = try store.writer()
        try store.record(entries, in: writer, sealCount: 10_000)
        for name in ["fresh", "compacted"] {
          if name == "compacted" { try store.compact(writer) }
          let (data, parity) = try store.sealedBytes()
          let name = name + provenance.rawValue
          try session.show(
            lines(name, data)
              + [ReportLine("bytes/\(name)/parity", trace.name, Double(parity), "bytes")])
        }
      }
      for peer in Peers.encodings {
        guard let bytes = peer.bytes[trace.name] else { continue }
        try session.show(lines(peer.name, bytes))
      }
    }
  }
}
