"""listen.py FILE ADDRESS...: listens on TCP and UDP port 18099 of the addresses and notes in FILE whoever comes."""

import selectors
import socket
import sys

PORT = 18099


def main():
    wait = selectors.DefaultSelector()
    for address in sys.argv[2:]:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        stream = socket.create_server((address, PORT), family=family)
        datagrams = socket.socket(family, socket.SOCK_DGRAM)
        datagrams.bind((address, PORT))
        wait.register(stream, selectors.EVENT_READ, "tcp")
        wait.register(datagrams, selectors.EVENT_READ, "udp")
    with open(sys.argv[1], "a", buffering=1) as notes:
        print("listening", file=notes)
        while True:
            for key, _ in wait.select():
                sender = key.fileobj.accept()[1] if key.data == "tcp" else key.fileobj.recvfrom(100)[1]
                print(key.data, sender[0], file=notes)


main()
