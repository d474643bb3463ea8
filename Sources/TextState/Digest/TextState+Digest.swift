extension TextState {
  /// The digest of text, attributes and paragraphs. O(length) at first; then, for this state and
  /// all that share memory with it, O(log n), and the size of a leaf for each that edits have
  /// changed.
  public var digest: StateDigest {
    var hashed = 0
    return digest(&hashed)
  }

  /// The digest. `hashed` grows by the number of units, paragraphs and runs that were read.
  func digest(_ hashed: inout Int) -> StateDigest { core.digest(&hashed) }
}

extension StateCore {
  fileprivate func digest(_ hashed: inout Int) -> StateDigest {
    let text = units.hash(&hashed) { units, hash in hash.append(units) }
    let attributes = runRecords.hash(&hashed) { runs, hash in
      for run in runs {
        hash.append(UInt64(run.length))
        hash.append(table.hash(of: run.set))
      }
    }
    let paragraphs = paragraphRecords.hash(&hashed) { paragraphs, hash in
      hash.append(paragraphs)
    }
    return StateDigest(
      text: .init(text), attributes: .init(attributes), paragraphs: .init(paragraphs))
  }
}
