import EditJSON
import EditModel
import EditProtocol
import EditSpool

// Requests that are not answered soon go to the spool.
extension ForwardingClient {
  /// Does what a new request needs: spools everything at once or after a moment, and frees memory.
  func keepInSpool() {
    guard options.spool != nil else { return }
    if isAway { spoolAll() } else { startSpoolTimer() }
    if queue.memorySize > options.memorySizeMax, spoolAll() { queue.forgetSpooled() }
  }

  /// Checks after a moment if what is queued now is still queued.
  private func startSpoolTimer() {
    guard let delay = options.spool?.delay, spoolTimer == nil, !queue.unspooled.isEmpty
    else { return }
    let last = queue.lastCounter
    spoolTimer = Task {
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      self.spoolTimer = nil
      if self.queue.firstCounter <= last { self.spoolAll() }
      self.startSpoolTimer()
    }
  }

  /// Writes everything that is not in the spool to it; false if that failed, and then it is tried
  /// again with the next request or after a moment.
  @discardableResult
  func spoolAll() -> Bool {
    guard let folder = options.spool?.folder, !queue.unspooled.isEmpty else { return true }
    do throws(SpoolError) {
      let file = try openSpool(in: folder)
      for counter in queue.unspooled {
        guard let payload = queue[counter].payload else {
          preconditionFailure("a request is in memory, in the spool or both")
        }
        queue.spooled(at: try file.append(payload.bytes))
      }
      spoolFailure = nil
      startSyncTimer()
      return true
    } catch {
      // Once for each cause: the next requests will fail in the same way.
      if spoolFailure != error { note("\(error); edits are kept in memory only") }
      spoolFailure = error
      startSpoolTimer()
      return false
    }
  }

  private func openSpool(in folder: SpoolFolder) throws(SpoolError) -> SpoolFile {
    if let spool { return spool }
    try folder.prepare()
    let header = SpoolHeader(
      session: session, socket: SpoolHeader.name(ofSocket: options.socketPath),
      store: options.spool?.store, initialize: initialize ?? .null, open: queue.openDocuments.sorted
    )
    let file = try SpoolFile.create(in: folder.path, header)
    spool = file
    return file
  }

  /// Removes the file if nothing in it is needed any more, even if newer requests are under way.
  func removeSpoolIfDone() {
    guard !isInherited, let spool, queue.needsNoSpool else { return }
    spool.remove()
    self.spool = nil
  }

  private func startSyncTimer() {
    guard let delay = options.spool?.syncDelay, syncTimer == nil else { return }
    syncTimer = Task {
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      self.syncTimer = nil
      self.syncSpool()
    }
  }

  private func syncSpool() {
    do { try spool?.sync() } catch {
      note("\(error)")
      spoolFailure = error
    }
  }

  /// The params of a request, from memory or the spool.
  func payload(_ counter: UInt64) throws(SpoolError) -> ByteParts {
    let entry = queue[counter]
    if let payload = entry.payload { return payload }
    guard let spool, let offset = entry.spoolOffset else {
      preconditionFailure("a request is in memory, in the spool or both")
    }
    guard case .record(let payload, _) = try spool.read(at: offset) else {
      throw .damaged(path: spool.path)
    }
    return ByteParts(payload)
  }

  /// Leaves everything that is not answered in the spool.
  func leaveInSpool() throws(ProtocolError) {
    spoolAll()
    if spoolFailure == nil { syncSpool() }
    if spoolFailure == nil {
      do { try options.spool?.folder.sync() } catch { spoolFailure = error }
    }
    let count = queue.count == 1 ? "1 message" : "\(queue.count) messages"
    let what = "\(count) did not reach the daemon at \(options.socketPath)"
    if let spoolFailure {
      throw ProtocolError(.storeUnreadable, "\(what) and may be lost: \(spoolFailure)")
    }
    note(
      "\(what); kept in \(options.spool?.folder.path ?? "") until the daemon runs"
    )
  }
}
