import EditLogCommands

await EditLogTool.main()
