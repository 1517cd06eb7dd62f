// The verifying duty of bench/attestation with go-attestation and the parts of go-tpm it is made of. For each line on standard
// input that names an exchange it verifies that exchange the given number of times and prints the nanoseconds of a core that took.
package main

import (
	"bufio"
	"crypto"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/google/go-attestation/attest"
	"github.com/google/go-tpm/legacy/tpm2"
	"github.com/google/go-tpm/legacy/tpm2/credactivation"
)

type exchange struct {
	EkCertificate []byte   `json:"ekCertificate"`
	Roots         [][]byte `json:"roots"`
	Intermediates [][]byte `json:"intermediates"`
	Ek            []byte   `json:"ek"`
	Ak            []byte   `json:"ak"`
	Attest        []byte   `json:"attest"`
	Signature     []byte   `json:"signature"`
	Pcrs          []int    `json:"pcrs"`
	PcrValues     [][]byte `json:"pcrValues"`
	ExtraData     []byte   `json:"extraData"`
	Secret        []byte   `json:"secret"`
	NowMs         int64    `json:"nowMs"`

	options x509.VerifyOptions
}

// The endorsement key's template protects with AES-128.
const aesBlock = 16

func main() {
	content, err := os.ReadFile(os.Args[1])
	check(err)
	count, err := strconv.Atoi(os.Args[2])
	check(err)
	exchanges := map[string]*exchange{}
	check(json.Unmarshal(content, &exchanges))
	for _, one := range exchanges {
		one.options = x509.VerifyOptions{
			Roots:         pool(one.Roots),
			Intermediates: pool(one.Intermediates),
			CurrentTime:   time.UnixMilli(one.NowMs),
			KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		one := exchanges[lines.Text()]
		start := processorTime()
		for range count {
			verify(one)
		}
		fmt.Println((processorTime() - start).Nanoseconds())
	}
}

// processorTime is how long this process, its collector included, was on a core.
func processorTime() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// verify checks the endorsement key's certificate chain, makes a credential for the attestation key, and checks a quote by it.
func verify(one *exchange) {
	certificate, err := attest.ParseEKCertificate(one.EkCertificate)
	check(err)
	allowDirectoryName(certificate)
	_, err = certificate.Verify(one.options)
	check(err)
	ek, err := tpm2.DecodePublic(one.Ek)
	check(err)
	ekKey, err := ek.Key()
	check(err)
	if !certificate.PublicKey.(interface{ Equal(crypto.PublicKey) bool }).Equal(ekKey) {
		log.Fatal("the certificate is of another endorsement key")
	}

	public, err := tpm2.DecodePublic(one.Ak)
	check(err)
	name, err := public.Name()
	check(err)
	_, _, err = credactivation.Generate(name.Digest, ekKey, aesBlock, one.Secret)
	check(err)

	ak, err := attest.ParseAKPublic(one.Ak)
	check(err)
	pcrs := make([]attest.PCR, len(one.Pcrs))
	for at, index := range one.Pcrs {
		pcrs[at] = attest.PCR{Index: index, Digest: one.PcrValues[at], DigestAlg: crypto.SHA256}
	}
	check(ak.Verify(attest.Quote{Quote: one.Attest, Signature: one.Signature}, pcrs, one.ExtraData))
}

var subjectAltName = asn1.ObjectIdentifier{2, 5, 29, 17}

// The standard library does not handle a critical name of the kind that describes a TPM; callers take it off the list.
func allowDirectoryName(certificate *x509.Certificate) {
	kept := certificate.UnhandledCriticalExtensions[:0]
	for _, id := range certificate.UnhandledCriticalExtensions {
		if !id.Equal(subjectAltName) {
			kept = append(kept, id)
		}
	}
	certificate.UnhandledCriticalExtensions = kept
}

func pool(ders [][]byte) *x509.CertPool {
	certificates := x509.NewCertPool()
	for _, der := range ders {
		certificate, err := x509.ParseCertificate(der)
		check(err)
		certificates.AddCert(certificate)
	}
	return certificates
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
