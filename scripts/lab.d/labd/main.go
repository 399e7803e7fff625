// Labd is the three small servers of the lab that no package offers as they are needed here:
// files of the upstream over HTTPS, a pass-through to this machine's own Debian archive, and a DNS server that
// knows the site and counts every other question.
package main

import (
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(log.Ldate | log.Ltime | log.LUTC)
	servers := map[string]func([]string) error{"files": serveFiles, "apt": serveApt, "dns": serveDNS}
	if len(os.Args) < 2 || servers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: labd files|apt|dns OPTIONS")
		os.Exit(2)
	}
	log.Fatal(servers[os.Args[1]](os.Args[2:]))
}
