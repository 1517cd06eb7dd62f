module countersign/bench/go-attestation

go 1.26.0

require (
	github.com/google/go-attestation v0.6.1
	github.com/google/go-tpm v0.9.8
)

require golang.org/x/sys v0.41.0 // indirect
