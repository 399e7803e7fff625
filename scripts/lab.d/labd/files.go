package main

import (
	"context"
	"flag"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// serveFiles publishes a folder over HTTPS (ranges and conditional requests included) and hands requests for the
// archive's host name to the pass-through behind a socket, which is the only way out of its namespace.
func serveFiles(args []string) error {
	flags := flag.NewFlagSet("files", flag.ExitOnError)
	listen := flags.String("listen", "", "address and port")
	root := flags.String("root", "", "folder to publish; its first level is the upstream's host name")
	cert := flags.String("cert", "", "certificate file")
	key := flags.String("key", "", "key file")
	aptHost := flags.String("apt-host", "", "host name of the Debian archive")
	aptSocket := flags.String("apt-socket", "", "socket of the pass-through")
	_ = flags.Parse(args)

	files := http.FileServer(http.Dir(*root))
	archive := throughSocket(*aptSocket)
	server := &http.Server{
		Addr:              *listen,
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			log.Printf("%s %s%s %s", r.Method, r.Host, r.URL.Path, r.Header.Get("Range"))
			if host, _, _ := strings.Cut(r.Host, ":"); host == *aptHost {
				archive.ServeHTTP(w, r)
				return
			}
			files.ServeHTTP(w, r)
		}),
	}
	return server.ListenAndServeTLS(*cert, *key)
}

func throughSocket(path string) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "archive"})
	proxy.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}
	return proxy
}
