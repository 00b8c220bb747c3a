module assay.dev/bench/streams

go 1.26
