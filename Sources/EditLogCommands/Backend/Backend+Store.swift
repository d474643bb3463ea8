import EditProtocol

// To be replaced: reads and writes a store's files without a daemon.

/// The store in the directory at `path`.
///
/// - Throws: `ProtocolError`, `storeUnreadable` where it cannot be read.
func makeStoreBackend(path: String) async throws(ProtocolError) -> any Backend {
  throw ProtocolError(.storeUnreadable, "the store at \(path) cannot be read without the daemon")
}
