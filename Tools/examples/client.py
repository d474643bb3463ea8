#!/usr/bin/env python3
"""A client of editlogd with only Python's standard library. The article Protocol describes every method.

  client.py SOCKET append DOCUMENT TEXT    logs TEXT at the end of the document
  client.py SOCKET show DOCUMENT           prints the document
  client.py SOCKET follow DOCUMENT COUNT   prints COUNT entries as they are logged, the old ones first
"""
import json, os, socket, struct, sys

class Client:
    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        # Another user can put a socket into a shared folder: texts are sent to this user and root only.
        credentials = self.connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        if (user := struct.unpack("3i", credentials)[1]) not in (0, os.geteuid()):
            raise OSError(f"the program that listens at {path} is of user {user}; give a socket of your own")
        self.input = self.connection.makefile("rb")
        self.session, self.counter, self.last = f"python-{os.getpid()}-{os.urandom(8).hex()}", 0, 0

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def receive(self):
        size = 0
        while line := self.input.readline().strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if size == 0:
            raise OSError("the daemon has closed the connection")
        return json.loads(self.input.read(size))

    def call(self, method, **params):
        """The result of a call. Notifications that come before it are dropped."""
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while (answer := self.receive()).get("id") != self.last:
            pass
        if "error" in answer:
            sys.exit(f"client.py: {answer['error']['message']}")
        return answer["result"]

    def append(self, document, edits, **params):
        """Logs edits. With the same counter, a call may be sent again after a lost connection."""
        self.counter += 1
        return self.call("editlog/append", document=document, edits=edits, session=self.session,
                         counter=self.counter, **params)

    def follow(self, document):
        """Each entry of a document, for ever."""
        number = self.call("editlog/subscribe", document=document, after=0, credit=100)["subscription"]
        while True:
            message = self.receive()
            if message.get("method") == "editlog/deliver":
                entries = message["params"]["entries"]
                yield from entries
                self.last += 1
                self.send({"id": self.last, "method": "editlog/credit",
                           "params": {"subscription": number, "credit": max(1, len(entries))}})

def main(path, verb, document, *rest):
    client = Client(path)
    if verb == "append":
        known = document in (each["document"] for each in client.call("editlog/documents")["documents"])
        version = client.call("editlog/state", document=document) if known else {"text": "", "sequence": 0}
        units = lambda text: len(text.encode("utf-16-le")) // 2  # lengths count UTF-16 units
        edit = {"actions": ["characters"], "location": units(version["text"]), "length": 0,
                "text": rest[0], "changeInLength": units(rest[0])}
        print(client.append(document, [edit], base=version["sequence"])["sequence"])
    elif verb == "show":
        print(client.call("editlog/state", document=document)["text"])
    else:
        for _, entry in zip(range(int(rest[0])), client.follow(document)):
            print(json.dumps(entry), flush=True)

if __name__ == "__main__":
    if sys.argv[2:3] not in (["append"], ["show"], ["follow"]) or len(sys.argv) != 4 + (sys.argv[2] != "show"):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except (OSError, ValueError) as error:
        sys.exit(f"client.py: {error}")
