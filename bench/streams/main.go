// Command streams is a server of streamed chats whose own timing errors are small enough to measure those of a load
// generator: on one core it serves several times as many streams as the bundled mock. It implements nothing else of the
// service but plain responses to chats and embeddings.
//
// It prints `ready http://127.0.0.1:PORT`. On SIGTERM it writes the ground truth: the id of each request, when its chunks
// were due and were written, in milliseconds from the arrival of the request, and how it failed.
//
// With -protocol it serves over TLS: https is HTTP/1.1, h2 is HTTP/2, where no stream fails.
//
// With -read HOST:PORT it is a client of such a server instead, which reads streams and does nothing else.
package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	var p plan
	flag.DurationVar(&p.ttft, "ttft", 100*time.Millisecond, "time to the first chunk")
	flag.DurationVar(&p.itl, "itl", 20*time.Millisecond, "time between chunks")
	flag.IntVar(&p.tokens, "tokens", 150, "chunks per stream")
	fails := &failing{}
	flag.Int64Var(&fails.every, "fail-every", 0, "every N-th stream fails; 0: none")
	file := flag.String("ledger", "", "file to write the ground truth to")
	writers := flag.Int("writers", 1, "threads that write chunks, each those of its own connections over HTTP/1.1")
	protocol := flag.String("protocol", plainHTTP, "http, https or h2")
	r := reading{}
	flag.StringVar(&r.address, "read", "", "read streams of this server")
	flag.IntVar(&r.streams, "streams", 1, "with -read: how many at once")
	flag.DurationVar(&r.warmup, "warmup", 4*time.Second, "with -read: what is not counted")
	flag.DurationVar(&r.duration, "duration", 8*time.Second, "with -read: what is counted")
	flag.Parse()
	r.period = p.due(p.tokens - 1)
	if r.address != "" {
		if err := r.run(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := serve(p, *protocol, fails, *writers, *file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(p plan, protocol string, fails *failing, writers int, file string) error {
	listener, err := listen(protocol)
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	rows := &ledger{}
	scheme := "https"
	switch protocol {
	case plainHTTP:
		scheme = "http"
		fallthrough
	case secureHTTP1:
		go accept(listener, p, fails, newChunkWriters(writers), rows)
	default:
		go serveHTTP2(listener, p, rows)
	}
	fmt.Printf("ready %s://%s\n", scheme, listener.Addr())
	<-stop
	if file == "" {
		return nil
	}
	return rows.write(file)
}

func accept(listener net.Listener, p plan, fails *failing, writers []*chunkWriter, rows *ledger) {
	for turn := 0; ; turn++ {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go serveConnection(conn, p, fails, writers[turn%len(writers)], rows)
	}
}
