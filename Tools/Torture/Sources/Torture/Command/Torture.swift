import ArgumentParser

/// Runs the store and the daemon through what disks, machines and forgers do.
@main struct Torture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Tools/torture",
    abstract: "Runs the store and the daemon through what disks, machines and forgers do.",
    discussion: """
      Each run ends with a line of what was run, found and skipped, and exits 1 where it found \
      anything. A finding is a line of JSON with the command that shows it again.
      """,
    subcommands: [
      StatesCommand.self, SimCommand.self, SweepCommand.self, FlipCommand.self,
      RewriteCommand.self, ReadersCommand.self, CopiesCommand.self, ForgedCommand.self,
      ForgeCommand.self, MissingCommand.self, UnreadableCommand.self, AttachmentsCommand.self,
      HostileCommand.self, KillCommand.self,
      AskedCommand.self, CountersCommand.self, FloodCommand.self, CrowdCommand.self,
      CutCommand.self, FsyncCommand.self, FullCommand.self,
      ContinuousCommand.self,
    ])
}
