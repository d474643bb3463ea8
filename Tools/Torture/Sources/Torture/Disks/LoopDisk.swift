import Glibc
import TestSupport

/// An ext4 file system on a loop device, whose image lies on a file system in memory of its own.
final class LoopDisk {
  private let folder: TemporaryFolder
  private let small: String
  private var device: String?
  private var isMounted = false
  /// Where it is mounted.
  let path: String

  /// Why loop disks are not available; nil if they are.
  static var obstacle: String? {
    if geteuid() != 0 { return "this is not root" }
    if access("/dev/loop-control", F_OK) != 0 { return "there are no loop devices" }
    for tool in ["losetup", "mkfs.ext4", "mount"]
    where (try? Shell.run("command -v \(tool)")) == nil {
      return "\(tool) is missing: Tools/install-torture"
    }
    do {
      let disk = try LoopDisk(memory: "16m")
      try disk.mount()
      return nil
    } catch { return "no loop mount here: \(error)" }
  }

  /// A disk of 64 MB whose image may take `memory`, in tmpfs's words.
  init(memory: String) throws {
    folder = TemporaryFolder()
    (small, path) = (folder.path("small"), folder.path("disk"))
    try Shell.run("mkdir \(small) \(path) && mount -t tmpfs -o size=\(memory) torture \(small)")
    try Shell.run(
      """
      truncate -s 64M \(small)/image && \
      mkfs.ext4 -q -E nodiscard,lazy_itable_init=1,lazy_journal_init=1 \(small)/image
      """)
    device = try Shell.run("losetup -f --show \(small)/image")
  }

  deinit {
    unmount()
    if let device { _ = try? Shell.run("losetup -d \(device)") }
    _ = try? Shell.run("umount \(small) || umount -l \(small)")
  }

  func mount() throws {
    guard let device else { return }
    try Shell.run("mount -o errors=continue \(device) \(path)")
    isMounted = true
  }

  func unmount() {
    guard isMounted else { return }
    _ = try? Shell.run("umount \(path) || umount -l \(path)")
    isMounted = false
  }

  /// Room for the whole image.
  func heal() throws { try Shell.run("mount -o remount,size=200m \(small)") }

  /// Bytes of the image that can still be written.
  var room: Int {
    var status = statvfs()
    guard statvfs(small, &status) == 0 else { return 0 }
    return Int(status.f_bavail) * Int(status.f_frsize)
  }

  /// What a power cut does: all that is not on the disk is gone, the journal of the file system
  /// with it.
  func cut() throws {
    let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw Shell.Failure(description: "\(path): errno \(errno)") }
    defer { close(directory) }
    // EXT4_IOC_SHUTDOWN, without flushing the journal.
    var flags: UInt32 = 2
    guard ioctl(directory, 0x8004_587D, &flags) == 0 else {
      throw Shell.Failure(description: "no shutdown of \(path): errno \(errno)")
    }
  }
}
