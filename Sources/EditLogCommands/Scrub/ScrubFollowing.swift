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

  /// Runs until the task is cancelled, or the document is gone.
  func run() async {
    let follower = EditFollower(
      document, at: socket, from: HistoryPosition(after: latest),
      connection: { inbox.put(.connection(isLost: !$0)) })
    var newest = latest
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
    } catch {
      inbox.put(.notice("what is logged is not followed any more: \(Ending(error).text)"))
    }
  }
}
