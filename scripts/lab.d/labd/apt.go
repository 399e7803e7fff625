package main

import (
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"strings"
)

// serveApt passes requests for /NAME/... on to the archive of that name that this machine's apt uses. LAB_ARCHIVES has one
// line for each, the address first; they are named after the last part of their path (debian, debian-security).
func serveApt(args []string) error {
	flags := flag.NewFlagSet("apt", flag.ExitOnError)
	socket := flags.String("socket", "", "socket to listen on")
	_ = flags.Parse(args)

	archives := map[string]string{}
	for _, line := range strings.Split(os.Getenv("LAB_ARCHIVES"), "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			address := strings.TrimRight(words[0], "/")
			archives[path.Base(address)] = address
		}
	}
	listener, err := net.Listen("unix", *socket)
	if err != nil {
		return err
	}
	return http.Serve(listener, passThrough(archives))
}

func passThrough(archives map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(path.Clean(r.URL.Path), "/"), "/")
		archive, known := archives[name]
		if !known || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
			http.Error(w, "no such archive", http.StatusNotFound)
			return
		}
		request, err := http.NewRequestWithContext(r.Context(), r.Method, archive+"/"+rest, nil)
		if err != nil {
			http.Error(w, "bad path", http.StatusBadRequest)
			return
		}
		for _, header := range []string{"Range", "If-Modified-Since", "If-None-Match", "If-Range"} {
			if value := r.Header.Get(header); value != "" {
				request.Header.Set(header, value)
			}
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Printf("%s/%s: the archive does not answer", name, rest)
			http.Error(w, "the archive does not answer", http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		for _, header := range []string{"Content-Type", "Content-Length", "Content-Range", "Accept-Ranges", "Last-Modified", "Etag"} {
			if value := answer.Header.Get(header); value != "" {
				w.Header().Set(header, value)
			}
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	})
}
