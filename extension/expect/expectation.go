// Package expect checks a JSON response against fields that are given as data, and returns a sentence about what is wrong.
package expect

// Field is one member that a response must contain.
type Field struct {
	// Path names nested members with dots; [] stands for every item of an array.
	Path string `json:"path"`
	// Type is one of fieldTypes.
	Type string `json:"type"`
	// Values are the only strings allowed; empty for any.
	Values []string `json:"values"`
}

// Variants are further fields, chosen by the value of a string field.
type Variants struct {
	By     string             `json:"by"`
	Fields map[string][]Field `json:"fields"`
}

// Expectation is what a response must contain.
type Expectation struct {
	Status   int       `json:"status"`
	Fields   []Field   `json:"fields"`
	Variants *Variants `json:"variants"`
	// NonEmpty are paths of arrays that must contain an item.
	NonEmpty []string `json:"nonEmpty"`
	// Vectors is the path of arrays of numbers that must all have the same length, and each at least one number that is
	// not zero; empty for no such rule.
	Vectors string `json:"vectors"`
	// Counted is the path of an array that must have as many items as the request had inputs; empty for no such rule.
	Counted string `json:"counted"`
	// Indexes is the path of integers that must be 0 to n-1, each once, in any order; empty for no such rule.
	Indexes string `json:"indexes"`
}
