module countersign/bench/go-x509

go 1.22
