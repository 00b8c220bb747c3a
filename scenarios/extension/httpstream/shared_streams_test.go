package httpstream

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStreamsThatTheStockClientShares(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "chat-streams.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Name, ContentType, Body, Facts string }
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tt := range cases {
		t.Run(tt.Name, func(t *testing.T) {
			t.Parallel()
			client, _ := newTestClient(t)
			got := client.Do(context.Background(), streamRequest(serve(t, []step{typed(tt.ContentType), send(tt.Body), fin})))
			if facts := facts(got); facts != tt.Facts {
				t.Errorf("got %s (%s), want %s", facts, got.Detail, tt.Facts)
			}
		})
	}
}

// facts writes what both clients measure in a line.
func facts(r *Result) string {
	words := []string{string(r.Outcome)}
	if r.Chunks != Unknown {
		words = append(words, fmt.Sprintf("chunks=%d tokens=%d:%s", r.Chunks, r.OutputTokens, r.TokenSource))
	}
	if r.DoneSeen {
		words = append(words, "done")
	}
	if r.FinishReason != "" {
		words = append(words, "finish="+r.FinishReason)
	}
	if r.Format != "" {
		words = append(words, "format="+r.Format)
	}
	for _, flag := range r.Flags {
		words = append(words, "!"+flag)
	}
	return strings.Join(words, " ")
}
