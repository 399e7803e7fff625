package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"log"
	"net"
	"os"
	"strings"
)

const (
	typeA         = 1
	nameError     = 3
	headerSize    = 12
	answerFlags   = 0x8400 // response, authoritative
	secondsToLive = 5
)

// serveDNS answers for the names of a hosts file and says "no such name" to all else. Each question for a name outside
// the site becomes one line "outside NAME from ADDRESS" of its log: the site's way of counting them.
func serveDNS(args []string) error {
	flags := flag.NewFlagSet("dns", flag.ExitOnError)
	listen := flags.String("listen", "", "address and port (UDP)")
	hosts := flags.String("hosts", "", "hosts file of the site")
	_ = flags.Parse(args)

	names, err := readHosts(*hosts)
	if err != nil {
		return err
	}
	socket, err := net.ListenPacket("udp", *listen)
	if err != nil {
		return err
	}
	buffer := make([]byte, 4096)
	for {
		size, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return err
		}
		if reply, outside := answer(names, buffer[:size]); reply != nil {
			if outside != "" {
				log.Printf("outside %s from %s", outside, from)
			}
			_, _ = socket.WriteTo(reply, from)
		}
	}
}

func readHosts(file string) (map[string]net.IP, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	names := map[string]net.IP{}
	for _, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		for _, name := range words[min(1, len(words)):] {
			if address := net.ParseIP(words[0]).To4(); address != nil {
				names[name] = address
				names[name+".lab.test"] = address
			}
		}
	}
	return names, nil
}

// answer builds the reply to one question; outside is the name if it is none of the site's.
func answer(names map[string]net.IP, query []byte) (reply []byte, outside string) {
	name, kind, end, err := question(query)
	if err != nil {
		return nil, ""
	}
	reply = append([]byte{}, query[:end]...)
	binary.BigEndian.PutUint16(reply[2:], answerFlags|binary.BigEndian.Uint16(query[2:])&0x0100)
	binary.BigEndian.PutUint16(reply[4:], 1)
	copy(reply[6:headerSize], make([]byte, 6))
	address, known := names[name]
	switch {
	case !known:
		binary.BigEndian.PutUint16(reply[2:], binary.BigEndian.Uint16(reply[2:])|nameError)
		return reply, name
	case kind == typeA:
		binary.BigEndian.PutUint16(reply[6:], 1)
		reply = append(reply, 0xc0, headerSize, 0, typeA, 0, 1, 0, 0, 0, secondsToLive, 0, 4)
		reply = append(reply, address...)
	}
	return reply, ""
}

func question(query []byte) (name string, kind uint16, end int, err error) {
	if len(query) < headerSize || binary.BigEndian.Uint16(query[4:]) != 1 {
		return "", 0, 0, errors.New("not one question")
	}
	var labels []string
	at := headerSize
	for at < len(query) && query[at] != 0 {
		length := int(query[at])
		if length > 63 || at+1+length > len(query) {
			return "", 0, 0, errors.New("bad name")
		}
		labels = append(labels, strings.ToLower(string(query[at+1:at+1+length])))
		at += 1 + length
	}
	if at+5 > len(query) {
		return "", 0, 0, errors.New("cut short")
	}
	return strings.Join(labels, "."), binary.BigEndian.Uint16(query[at+1:]), at + 5, nil
}
