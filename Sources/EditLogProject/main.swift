import EditLogCommands

await EditLogTool.main { try await $0.write(in: $1) }
