import Glibc

enum DiskSpace {
  /// The number of bytes on the disk of a file that this user may still write. Nil if it is not known.
  static func free(at path: String) -> Int64? {
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return nil }
    let (bytes, isTooMany) = UInt64(disk.f_bavail)
      .multipliedReportingOverflow(by: UInt64(disk.f_frsize))
    return isTooMany ? .max : Int64(clamping: bytes)
  }
}
