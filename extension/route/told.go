package route

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
)

// Told is how Assay itself reaches the target, as it tells the k6 that it starts: both then do the same.
type Told struct {
	// Origin is the scheme, host and port of the target, as in its address.
	Origin string `json:"origin"`
	// ProxyAddress is that of the proxy, with its credentials; empty for none.
	ProxyAddress string `json:"proxy"`
	// Certificates are all that are trusted, in PEM form; empty for those of the system.
	Certificates string `json:"certificates"`
	// ClientCert and ClientKey are shown to a target that asks for them, in PEM form; empty for none.
	ClientCert string `json:"clientCert"`
	ClientKey  string `json:"clientKey"`

	proxy *url.URL
}

// Read reads what is told: the first line of a pipe, as JSON. It returns nil for an empty line.
func Read(pipe *bufio.Reader) (*Told, error) {
	line, err := pipe.ReadBytes('\n')
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("cannot read how the target is reached: %w", err)
	}
	if len(line) <= 1 {
		return nil, nil
	}
	told := new(Told)
	if err := json.Unmarshal(line, told); err != nil {
		return nil, fmt.Errorf("cannot read how the target is reached: %w", err)
	}
	if told.ProxyAddress != "" {
		if told.proxy = parseAddress(told.ProxyAddress); told.proxy == nil {
			return nil, fmt.Errorf("cannot read how the target is reached: its proxy has no address")
		}
	}
	return told, nil
}
