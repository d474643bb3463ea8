import EditClient
import EditModel
import EditProtocol
import Scrubbing

/// Tells a screen what the daemon logs.
struct ScrubFollowing {
  let document: DocumentID
  let socket: String
  /// The newest version that the screen knows.
  let latest: SequenceNumber
  let inbox: ScrubInbox
  var silence = SilenceLimits()

  /// Milliseconds between two attempts to connect, if the first subscription fails.
  private static let pause = 250

  /// Runs until the task is cancelled, or the document is gone.
  func run() async {
    var newest = latest
    while await !follow(&newest), await waitForDaemon() {}
  }

  /// Reports that the daemon is unreachable, and waits for it. Returns false if the task is cancelled.
  private func waitForDaemon() async -> Bool {
    inbox.put(.connection(isLost: true))
    while !Task.isCancelled {
      if await EditLogClient.answers(at: socket, within: silence.silenceMax) {
        inbox.put(.connection(isLost: false))
        return true
      }
      try? await Task.sleep(for: .milliseconds(Self.pause))
    }
    return false
  }

  /// Follows the document after version `newest`. Returns false if the first connection fails.
  private func follow(_ newest: inout SequenceNumber) async -> Bool {
    let follower = EditFollower(
      document, at: socket, from: HistoryPosition(after: newest),
      connection: { inbox.put(.connection(isLost: !$0)) }, silence: silence.quiet)
    do {
      for try await delivery in follower {
        var (time, events) = (Timestamp?.none, [HistoryEvent]())
        for entry in delivery.entries {
          switch entry {
          case .edit(let edit):
            newest = max(newest, edit.sequence)
            time = edit.time
          case .event(let event): events.append(event)
          }
        }
        inbox.put(.logged(latest: newest, time: time, events: events))
      }
    } catch let error as ProtocolError where error.code == .unknownDocument {
      inbox.put(.forgotten(nil))
    } catch let error as ProtocolError
      where error.code == .unreachable || error.code == .unresponsive
    {
      return false
    } catch {
      inbox.put(.notice("what is logged is not followed any more: \(Ending(error).text)"))
    }
    return true
  }
}
