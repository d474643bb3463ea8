// Sends what is opened, changed, saved, renamed and closed to `editlog lsp`, which forwards it to
// EditLog's daemon. Speaks LSP itself, so it needs no other package. VS Code counts in UTF-16.
'use strict';
const { spawn } = require('child_process');
const vscode = require('vscode');

// Seconds before the server is started again after it ended; doubled up to the maximum.
const PAUSE_MIN = 1;
const PAUSE_MAX = 60;

/** One process of the server. It answers only `initialize` and `shutdown`. */
class Server {
  constructor(command, onEnd) {
    this.nextID = 1;
    this.answers = new Map();
    this.received = Buffer.alloc(0);
    this.process = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
    // A server that has ended is noticed by its end, not by each write.
    this.process.stdin.on('error', () => {});
    this.process.stdout.on('data', (data) => this.receive(data));
    let ended = false;
    const end = (why) => {
      if (ended) return;
      ended = true;
      for (const answer of this.answers.values()) answer();
      onEnd(why);
    };
    this.process.on('error', (error) => end(error.message));
    this.process.on('exit', (code, signal) => end(`it ended with ${signal || `status ${code}`}`));
  }

  write(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }), 'utf8');
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  notify(method, params) {
    this.write({ method, params });
  }

  /** Resolves when the server has answered or ended. */
  request(method, params) {
    const id = this.nextID++;
    this.write({ id, method, params });
    return new Promise((resolve) => this.answers.set(id, resolve));
  }

  receive(data) {
    this.received = Buffer.concat([this.received, data]);
    for (;;) {
      const head = this.received.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.received.toString('latin1', 0, head));
      const end = head + 4 + Number(length ? length[1] : 0);
      if (this.received.length < end) return;
      const message = JSON.parse(this.received.toString('utf8', head + 4, end));
      this.received = this.received.subarray(end);
      if (message.method !== undefined && message.id !== undefined) {
        const error = { code: -32601, message: `there is no method ${message.method}` };
        this.write({ id: message.id, error });
      } else if (this.answers.has(message.id)) {
        this.answers.get(message.id)();
        this.answers.delete(message.id);
      }
    }
  }

  /** Lets the server deliver what it has, and ends it. */
  async stop() {
    await this.request('shutdown', null);
    this.notify('exit', null);
    this.process.stdin.end();
  }
}

let server;
let pause = PAUSE_MIN;
let restart;
let isStopping = false;
const open = new Set();

const isFile = (document) => document.uri.scheme === 'file';
const identifier = (document) => ({ uri: document.uri.toString() });

function didOpen(document) {
  if (!server || !isFile(document) || open.has(document.uri.toString())) return;
  open.add(document.uri.toString());
  const { languageId, version } = document;
  server.notify('textDocument/didOpen', {
    textDocument: { ...identifier(document), languageId, version, text: document.getText() },
  });
}

function didChange({ document, contentChanges }) {
  if (!server || !open.has(document.uri.toString()) || contentChanges.length === 0) return;
  const position = ({ line, character }) => ({ line, character });
  // VS Code lists the changes from the end of the text to its start, with ranges of the text before
  // all of them. So each range is also right after those listed before it.
  server.notify('textDocument/didChange', {
    textDocument: { ...identifier(document), version: document.version },
    contentChanges: contentChanges.map(({ range, text }) => ({
      range: { start: position(range.start), end: position(range.end) }, text,
    })),
  });
}

function didSave(document) {
  if (!server || !open.has(document.uri.toString())) return;
  const params = { textDocument: identifier(document), text: document.getText() };
  server.notify('textDocument/didSave', params);
}

function didClose(document) {
  if (!open.delete(document.uri.toString()) || !server) return;
  server.notify('textDocument/didClose', { textDocument: identifier(document) });
}

function didRename({ files }) {
  if (!server) return;
  const names = files.filter(({ oldUri }) => oldUri.scheme === 'file')
    .map(({ oldUri, newUri }) => ({ oldUri: oldUri.toString(), newUri: newUri.toString() }));
  if (names.length > 0) server.notify('workspace/didRenameFiles', { files: names });
}

function start() {
  const started = new Server(vscode.workspace.getConfiguration('editlog').get('command'), (why) => {
    server = undefined;
    open.clear();
    if (isStopping) return;
    vscode.window.setStatusBarMessage(`EditLog records nothing now: ${why}`, pause * 1000);
    restart = setTimeout(start, pause * 1000);
    pause = Math.min(pause * 2, PAUSE_MAX);
  });
  server = started;
  const params = {
    processId: process.pid,
    clientInfo: { name: 'Visual Studio Code', version: vscode.version },
    rootUri: null,
    capabilities: { general: { positionEncodings: ['utf-16'] } },
  };
  // Nothing has to wait for the answer: the server reads in order.
  started.request('initialize', params).then(() => {
    if (server === started) pause = PAUSE_MIN;
  });
  started.notify('initialized', {});
  vscode.workspace.textDocuments.forEach(didOpen);
}

exports.activate = (context) => {
  isStopping = false;
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(didOpen),
    vscode.workspace.onDidChangeTextDocument(didChange),
    vscode.workspace.onDidSaveTextDocument(didSave),
    vscode.workspace.onDidCloseTextDocument(didClose),
    vscode.workspace.onDidRenameFiles(didRename),
  );
  start();
};

exports.deactivate = async () => {
  isStopping = true;
  clearTimeout(restart);
  if (server) await server.stop();
};
