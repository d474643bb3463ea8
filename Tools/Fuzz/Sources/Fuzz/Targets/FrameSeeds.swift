/// Messages of each kind.
enum FrameSeeds {
  static let messages = [
    #"{"jsonrpc":"2.0","id":1,"method":"append","params":{"document":"a","session":"s","counter":1,"edits":[{"range":[0,0],"text":"hi"}]}}"#,
    #"{"jsonrpc":"2.0","method":"exit"}"#,
    #"{"jsonrpc":"2.0","id":"x","result":{"sequence":12,"head":"00ff"}}"#,
    #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}"#,
    #"{"a":[1,-2.5e-7,true,false,null,"\ud800\u0000\ud83d\ude00é"],"b":{}}"#,
    #"[[[[[[9007199254740993]]]]],-0,1e400,"\\\/"]"#,
    #"{"sequence":1,"range":[0,2],"text":"x","time":"2026-11-20T15:04:05Z","origin":"typing","author":"ada","attributes":{"runs":[{"length":1,"attributes":{"bold":true}}]}}"#,
    #"{"event":"mark","label":"v1","at":3,"time":"2026-11-20T15:04:05.5Z"}"#,
  ]
}
