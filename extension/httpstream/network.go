package httpstream

import (
	"sync/atomic"
	"time"
)

// Network counts the connections of a run and what TCP of this machine knows of them, as far as it tells: it does on Linux.
type Network struct {
	// Opened counts the connections that were opened.
	Opened atomic.Int64
	// Packets are those with data that came; OutOfOrder those of them that came before an earlier one, which was lost or late;
	// SentAgain those that had not arrived when they were sent again, also to open a connection.
	Packets, OutOfOrder, SentAgain atomic.Int64

	roundTrip atomic.Int64 // the least of all connections, in microseconds; 0 where none is known
}

// RoundTrip is the least time from a packet to its confirmation; 0 where none is known.
func (n *Network) RoundTrip() time.Duration {
	return time.Duration(n.roundTrip.Load()) * time.Microsecond
}

// tookRoundTrip keeps the least, in microseconds; 0 is none.
func (n *Network) tookRoundTrip(us int64) {
	for us > 0 {
		least := n.roundTrip.Load()
		if 0 < least && least <= us || n.roundTrip.CompareAndSwap(least, us) {
			return
		}
	}
}

// connCounts is what TCP counted of one connection since it was opened.
type connCounts struct{ packets, outOfOrder, sentAgain uint32 }

// look counts what TCP has counted of the connection since the last look.
func (w *watched) look() {
	if w.socket == nil {
		return
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	_ = w.socket.Control(w.ask) // a closed one was looked at before
}

// counted takes what TCP has counted until now.
func (w *watched) counted(now connCounts, roundTrip uint32) {
	w.network.Packets.Add(int64(now.packets - w.counts.packets))
	w.network.OutOfOrder.Add(int64(now.outOfOrder - w.counts.outOfOrder))
	w.network.SentAgain.Add(int64(now.sentAgain) - int64(w.counts.sentAgain)) // fewer once the other side tells that it had them
	w.counts = now
	w.lost.Store(now.outOfOrder + now.sentAgain)
	w.network.tookRoundTrip(int64(roundTrip))
}

// Close looks at the connection for the last time.
func (w *watched) Close() error {
	w.look()
	return w.Conn.Close()
}
