import ArgumentParser
import DaemonProgram

DaemonCommand.main()
