package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// service is a small target.
type service struct {
	*httptest.Server
	hold        bool          // streams stay open after their first token
	refuse      bool          // chats are refused, and the refusal repeats the key
	submitDelay time.Duration // before a submission is answered
	submitting  chan struct{} // gets a value once a submission
	cancelling  func()        // called in each cancel

	mu       sync.Mutex
	tasks    map[string]string
	problems []string
	ids      map[string]bool
	traces   map[string]string // by request id, of the traceparent headers that were sent
}

func newService(t *testing.T, prepare ...func(*service)) *service {
	s := makeService()
	for _, change := range prepare {
		change(s)
	}
	s.Start()
	t.Cleanup(s.end)
	return s
}

// newSecureService is one over TLS.
func newSecureService(t *testing.T, prepare ...func(*service)) *service {
	s := makeService()
	for _, change := range prepare {
		change(s)
	}
	s.StartTLS()
	t.Cleanup(s.end)
	return s
}

func (s *service) end() {
	s.CloseClientConnections()
	s.Close()
}

func makeService() *service {
	s := &service{tasks: map[string]string{}, ids: map[string]bool{}, traces: map[string]string{}, submitting: make(chan struct{}, 1000), cancelling: func() {}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat", s.chat)
	mux.HandleFunc("POST /embeddings", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"embedding":[1,2]},{"embedding":[3,4]}]}`)
	})
	mux.HandleFunc("POST /videos", s.submit)
	mux.HandleFunc("GET /videos/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"id":%q,"status":"processing","progress":40}`, r.PathValue("id"))
	})
	mux.HandleFunc("POST /videos/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		s.cancelling()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tasks[r.PathValue("id")] = "cancelled"
		_, _ = fmt.Fprintf(w, `{"id":%q,"status":"cancelled"}`, r.PathValue("id"))
	})
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.inspect(r)
		mux.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	return s
}

// inspect notes what is wrong with the headers of a request.
func (s *service) inspect(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	complain := func(format string, values ...any) {
		s.problems = append(s.problems, r.Method+" "+r.URL.Path+": "+fmt.Sprintf(format, values...))
	}
	if id := r.Header.Get("X-Request-Id"); id == "" || s.ids[id] {
		complain("request id %q is missing or was used before", id)
	} else {
		s.ids[id] = true
		if parent := r.Header.Get("Traceparent"); parent != "" {
			s.traces[id] = parent
		}
	}
	if r.Header.Get("Authorization") != "Bearer sk-very-secret" {
		complain("the given header is missing")
	}
	bare := r.Method == http.MethodGet || strings.HasSuffix(r.URL.Path, "/cancel")
	if typed := r.Header.Get("Content-Type"); bare && (typed != "" || r.ContentLength > 0) {
		complain("content type %q and length %d, want none", typed, r.ContentLength)
	} else if !bare && typed != "application/json" {
		complain("content type %q", typed)
	}
}

func (s *service) chat(w http.ResponseWriter, r *http.Request) {
	if s.refuse {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"no such key: `+r.Header.Get("Authorization")+`"}`)
		return
	}
	streamed := r.Header.Get("Accept") == "text/event-stream"
	if !streamed {
		_, _ = io.WriteString(w, `{"id":"c","usage":{"completion_tokens":3}}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, word := range []string{"one", "two", "three"} {
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%q}}]}\n\n", word)
		_ = http.NewResponseController(w).Flush()
		if s.hold {
			<-r.Context().Done()
			return
		}
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (s *service) submit(w http.ResponseWriter, _ *http.Request) {
	s.submitting <- struct{}{}
	time.Sleep(s.submitDelay)
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprintf("task/%d", len(s.tasks)+1)
	s.tasks[id] = "processing"
	w.WriteHeader(http.StatusAccepted)
	_, _ = fmt.Fprintf(w, `{"id":%q,"status":"processing"}`, id)
}

// open are the tasks that nobody cancelled.
func (s *service) open() (ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, state := range s.tasks {
		if state == "processing" {
			ids = append(ids, id)
		}
	}
	return ids
}
