// Command streams is a server of streamed chats that keeps its times well enough to grade a load client by them: on one
// core it holds several times as many streams as the bundled mock. It knows nothing of the service but the stream.
//
// It prints `ready http://127.0.0.1:PORT`, and on SIGTERM writes the ledger: for each request its id and the times at
// which its chunks were due and were written, in milliseconds from its arrival.
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
	flag.IntVar(&p.tokens, "tokens", 150, "chunks of a stream")
	file := flag.String("ledger", "", "file that the truth is written to")
	flag.Parse()
	if err := serve(p, *file); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(p plan, file string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	truth := &ledger{}
	clock := newClock()
	go accept(listener, p, clock, truth)
	fmt.Printf("ready http://%s\n", listener.Addr())
	<-stop
	if file == "" {
		return nil
	}
	return truth.write(file)
}

func accept(listener net.Listener, p plan, clock *clock, truth *ledger) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go serveConnection(conn, p, clock, truth)
	}
}
