// The issuing duty of bench/x509 in Go's standard library. For each line on standard input that names a CA it issues a
// certificate for every request and prints the nanoseconds that took.
package main

import (
	"bufio"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

type authority struct {
	Certificate []byte `json:"certificate"`
	Key         []byte `json:"key"`

	parsed *x509.Certificate
	signer any
}

func main() {
	folder := os.Args[1]
	var requests [][]byte
	load(filepath.Join(folder, "requests.json"), &requests)
	authorities := map[string]*authority{}
	for _, name := range []string{"rsa", "p256"} {
		authorities[name] = loadAuthority(filepath.Join(folder, name+".json"))
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		ca := authorities[lines.Text()]
		start := time.Now()
		for _, request := range requests {
			issue(ca, request)
		}
		fmt.Println(time.Since(start).Nanoseconds())
	}
}

// issue reads and verifies a request, then signs: CreateCertificate verifies its own signature before it returns.
func issue(ca *authority, der []byte) {
	request, err := x509.ParseCertificateRequest(der)
	check(err)
	check(request.CheckSignature())
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	check(err)
	notBefore := time.Now().Add(-5 * time.Minute)
	template := &x509.Certificate{
		SerialNumber:          serial,
		RawSubject:            request.RawSubject,
		NotBefore:             notBefore,
		NotAfter:              notBefore.Add(365 * 24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
	}
	_, err = x509.CreateCertificate(rand.Reader, template, ca.parsed, request.PublicKey, ca.signer)
	check(err)
}

func loadAuthority(path string) *authority {
	ca := &authority{}
	load(path, ca)
	var err error
	ca.parsed, err = x509.ParseCertificate(ca.Certificate)
	check(err)
	ca.signer, err = x509.ParsePKCS8PrivateKey(ca.Key)
	check(err)
	return ca
}

func load(path string, value any) {
	content, err := os.ReadFile(path)
	check(err)
	check(json.Unmarshal(content, value))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
