// Command openai-go uses the official client for Go, whose types are strict, at each address given, and prints what each use
// gave or failed with as one JSON object per line.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// patience bounds each use, as the other clients do.
const patience = 10 * time.Second

type use func(context.Context, openai.Client) (any, error)

var uses = map[string]use{
	"chat": func(ctx context.Context, client openai.Client) (any, error) {
		completion, err := client.Chat.Completions.New(ctx, request())
		if err != nil {
			return nil, err
		}
		return message(*completion), nil
	},
	"stream": func(ctx context.Context, client openai.Client) (any, error) {
		stream := client.Chat.Completions.NewStreaming(ctx, request())
		text := ""
		for stream.Next() {
			for _, choice := range stream.Current().Choices {
				text += choice.Delta.Content
			}
		}
		return map[string]any{"content": words(text)}, stream.Err()
	},
	"helper": func(ctx context.Context, client openai.Client) (any, error) {
		completion, err := gathered(ctx, client, request())
		return message(completion), err
	},
	"usage": func(ctx context.Context, client openai.Client) (any, error) {
		params := request()
		params.StreamOptions.IncludeUsage = openai.Bool(true)
		completion, err := gathered(ctx, client, params)
		return map[string]any{"total": completion.Usage.TotalTokens}, err
	},
	"embeddings": func(ctx context.Context, client openai.Client) (any, error) {
		input := openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}}
		list, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{Model: "m", Input: input})
		if err != nil {
			return nil, err
		}
		var lengths []int
		var norms []float64
		for _, item := range list.Data {
			sum := 0.0
			for _, x := range item.Embedding {
				sum += x * x
			}
			lengths = append(lengths, len(item.Embedding))
			norms = append(norms, math.Round(sum*1000)/1000)
		}
		return map[string]any{"lengths": lengths, "norms": norms}, nil
	},
	"refused_chat": func(ctx context.Context, client openai.Client) (any, error) {
		params := request()
		params.Temperature = openai.Float(3)
		_, err := client.Chat.Completions.New(ctx, params)
		var refusal *openai.Error
		if !errors.As(err, &refusal) {
			return map[string]any{}, err
		}
		return map[string]any{"status": refusal.StatusCode, "message": refusal.Message != ""}, nil
	},
}

func request() openai.ChatCompletionNewParams {
	messages := []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say something.")}
	return openai.ChatCompletionNewParams{Model: "m", Messages: messages}
}

// gathered makes a completion of a stream as the client's accumulator does.
func gathered(ctx context.Context, client openai.Client, params openai.ChatCompletionNewParams) (openai.ChatCompletion, error) {
	stream := client.Chat.Completions.NewStreaming(ctx, params)
	whole := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		if !whole.AddChunk(stream.Current()) {
			return whole.ChatCompletion, errors.New("the accumulator refused a chunk")
		}
	}
	return whole.ChatCompletion, stream.Err()
}

// message holds the members of a completion that programs read.
func message(completion openai.ChatCompletion) any {
	read := map[string]any{
		"object":  completion.Object,
		"created": completion.Created > 0,
		"id":      completion.ID != "",
		"model":   completion.Model,
		"usage":   completion.Usage.TotalTokens,
	}
	for _, choice := range completion.Choices {
		read["index"], read["role"] = choice.Index, choice.Message.Role
		read["content"], read["finish"] = words(choice.Message.Content), choice.FinishReason
	}
	return read
}

func words(text string) int { return len(strings.Fields(text)) }

func main() {
	for _, address := range os.Args[1:] {
		client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("any"), option.WithMaxRetries(0))
		outcomes := map[string]map[string]any{}
		for name, use := range uses {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			value, err := use(ctx, client)
			cancel()
			outcomes[name] = map[string]any{"value": value}
			if err != nil {
				outcomes[name] = map[string]any{"error": err.Error()}
			}
		}
		line, err := json.Marshal(outcomes)
		if err != nil {
			fmt.Fprintln(os.Stderr, "cannot write what the uses gave:", err)
			os.Exit(1)
		}
		fmt.Println(string(line))
	}
}
