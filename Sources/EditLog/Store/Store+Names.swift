import EditLogFormat

extension Store {
  /// Records files and folders that no writer creates, and journals that have the name of another
  /// one. A file with a temporary name may be in progress, or a crash may have left it.
  func checkNames(_ report: inout VerificationReport) throws(LogError) {
    let known: Set = [
      StoreLayout.format, StoreLayout.lock, StoreLayout.confirmed, StoreLayout.journals,
      StoreLayout.documents, StoreLayout.quarantine, StoreLayout.catalog, StoreLayout.attachments,
      StoreLayout.backup,
    ]
    var unknown = try root.names().filter { !known.contains(StoreLayout.stem(of: $0)) }
    if let journals = try root.directoryIfPresent(StoreLayout.journals) {
      unknown += try Self.unknownNames(in: journals, [.journal]).map {
        "\(StoreLayout.journals)/\($0)"
      }
      try checkNumbers(of: journals, &report)
    }
    unknown += try (documentsDirectory?.unknownNames() ?? []).map {
      "\(StoreLayout.documents)/\($0)"
    }
    for number in try documentsDirectory?.numbers() ?? [] {
      guard let directory = try documentsDirectory?.documentIfAllowed(number) else { continue }
      let path = DocumentsDirectory.path(of: number)
      unknown += try Self.unknownNames(
        in: directory, [.segment, .checkpoint, .projections],
        [StoreLayout.name, StoreLayout.traces, StoreLayout.asked]
      ).map { "\(path)/\($0)" }
    }
    report.unknownFiles = unknown.sorted()
  }

  private static func unknownNames(
    in directory: any Directory, _ kinds: [StoreLayout.Kind], _ names: Set<String> = []
  ) throws(LogError) -> [String] {
    try directory.names().filter { name in
      let stem = StoreLayout.stem(of: name)
      let isNumbered = kinds.contains { !StoreLayout.numbers($0, in: [stem]).isEmpty }
      let isBare = stem != name && StoreLayout.number(of: stem) != nil
      return !isNumbered && !isBare && !names.contains(stem)
        && (names.isEmpty || StoreLayout.attachment(named: stem) == nil)
    }
  }

  /// Records journals whose header has another number than their name.
  private func checkNumbers(
    of journals: any Directory, _ report: inout VerificationReport
  ) throws(LogError) {
    for number in StoreLayout.numbers(.journal, in: try journals.names()) {
      let name = StoreLayout.name(of: number, .journal)
      let bytes: [UInt8]
      do { bytes = try journals.open(name, .read).read(FileHeader.size, at: 0) } catch {
        // Sealed and removed since the names were read.
        if error.isMissing { continue }
        throw error
      }
      guard let header = bytes.withUnsafeBytes({ FileHeader(.journal, $0) }),
        header.number != number
      else { continue }
      report.note(
        nil,
        .damaged(
          file: "\(StoreLayout.journals)/\(name)", offset: 40,
          what: "its header says that it is journal \(header.number)"))
    }
  }
}

extension StoreLayout {
  /// A name without the suffix of a file that is being written.
  fileprivate static func stem(of name: String) -> String {
    isTemporary(name) ? String(name.dropLast(Kind.temporary.rawValue.utf8.count + 1)) : name
  }
}
