// What a container of a test runs, and what holds a pod's namespaces: it writes "started" into the file that it is told, if any,
// and waits to be ended. Nothing is pulled: the image is this one file (../../harness/image.ts).
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) > 1 {
		if err := os.WriteFile(os.Args[1], []byte("started\n"), 0o644); err != nil {
			panic(err)
		}
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	<-end
}
