import DaemonTestSupport
import EditIngest
import EditLog
import EditModel
import EditProtocol
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct WritableStoreTests {
  @Test func aClosedStoreIsUnlockedAtOnce() async throws {
    let folder = TemporaryFolder()
    let logger = RecordedLog()
    let options = IngestOptions(store: folder.path("store"))
    for count in 1...3 {
      let store = try await WritableStore.open(options, logger: logger.logger)
      await #expect(throws: LogError.self) {
        try await WritableStore.open(options, logger: logger.logger)
      }
      let request = AppendRequest(document: document("a"), edits: [put("x")])
      let result = try await store.perform(request)
      #expect(result.sequence == SequenceNumber(count))
      await store.close()
      let error = await refusal { try await store.perform(request) }
      #expect(error?.code == .overloaded)
      await store.close()
    }
    #expect(logger.complaints == [])
  }
}
