import EditModel

// Messages that are not acknowledged soon go to the spool.
extension Courier {
  /// Looks after a moment whether what is in the outbox now is there still.
  func startSpoolTimer() {
    guard spoolTimer == nil, !outbox.unspooled.isEmpty else { return }
    let mark = outbox.lastCounter
    spoolTimer = Task { [delay = configuration.spoolDelay] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      self.spoolTimerFired(mark)
    }
  }

  private func spoolTimerFired(_ mark: UInt64) {
    spoolTimer = nil
    if outbox.firstCounter <= mark { spoolAll() }
    startSpoolTimer()
  }

  /// Writes all that is not acknowledged to the spool; false where that failed, and then it is
  /// tried again with the next message or after a moment.
  @discardableResult
  func spoolAll() -> Bool {
    guard !outbox.unspooled.isEmpty else { return true }
    do throws(SpoolError) {
      let file = try openSpool()
      for counter in outbox.unspooled {
        guard let payload = outbox[counter].payload else {
          preconditionFailure("what is in no spool is in memory")
        }
        outbox.spooled(at: try file.append(payload))
      }
      spoolFailure = nil
      startSyncTimer()
      return true
    } catch {
      // Once for each cause: the next messages are sure to fail the same way.
      if spoolFailure != error { note("\(error); edits are kept in memory alone") }
      spoolFailure = error
      startSpoolTimer()
      return false
    }
  }

  private func openSpool() throws(SpoolError) -> SpoolFile {
    if let spool { return spool }
    try folder.prepare()
    let header = SpoolHeader(
      session: session, initialize: initialize, open: outbox.acknowledgedOpen.sorted)
    let file = try SpoolFile.create(in: folder.path, header)
    spool = file
    return file
  }

  /// Removes the file when nothing in it is needed any more, though newer messages may be on
  /// their way.
  func removeSpoolWhereDone() {
    guard let spool, outbox.needsNoSpool else { return }
    spool.remove()
    self.spool = nil
  }

  private func startSyncTimer() {
    guard syncTimer == nil else { return }
    syncTimer = Task { [delay = configuration.syncDelay] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      self.syncTimer = nil
      self.syncSpool()
    }
  }

  func syncSpool() {
    do { try spool?.sync() } catch {
      note("\(error)")
      spoolFailure = error
    }
  }

  /// The params of `editlog/forward` of a message, from memory or the spool.
  func payload(_ counter: UInt64) throws(SpoolError) -> [UInt8] {
    let entry = outbox[counter]
    if let payload = entry.payload { return payload }
    guard let spool, let offset = entry.spoolOffset else {
      preconditionFailure("what is not in memory is in the spool")
    }
    guard case .record(let payload, _) = try spool.read(at: offset) else {
      throw .damaged(path: spool.path)
    }
    return payload
  }
}
