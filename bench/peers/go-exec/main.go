// The exec plugin's everyday duty in Go, with client-go's own types: read KUBERNETES_EXEC_INFO, read the kubelet's current
// pair, see that the key fits and that the certificate is this node's and not due, answer one ExecCredential.
package main

import (
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientauth "k8s.io/client-go/pkg/apis/clientauthentication/v1"
)

func main() {
	nodeName := flag.String("node-name", "", "")
	certDir := flag.String("cert-dir", "/var/lib/kubelet/pki", "")
	flag.Parse()
	if err := answer(*nodeName, *certDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func answer(nodeName, certDir string) error {
	var info clientauth.ExecCredential
	if err := json.Unmarshal([]byte(os.Getenv("KUBERNETES_EXEC_INFO")), &info); err != nil {
		return err
	}
	if info.Kind != "ExecCredential" || info.APIVersion != clientauth.SchemeGroupVersion.String() {
		return fmt.Errorf("not an ExecCredential of %s", clientauth.SchemeGroupVersion)
	}
	text, err := os.ReadFile(filepath.Join(certDir, "kubelet-client-current.pem"))
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return err
	}
	due, err := dueTime(pair, nodeName)
	if err != nil {
		return err
	}
	expiry := metav1.NewTime(due)
	return json.NewEncoder(os.Stdout).Encode(clientauth.ExecCredential{
		TypeMeta: info.TypeMeta,
		Status: &clientauth.ExecCredentialStatus{
			ExpirationTimestamp:   &expiry,
			ClientCertificateData: string(text[:keyStart(text)]),
			ClientKeyData:         string(text[keyStart(text):]),
		},
	})
}

// dueTime is 80 % of the lifetime; the certificate must be the node's and not due yet.
func dueTime(pair tls.Certificate, nodeName string) (time.Time, error) {
	leaf := pair.Leaf
	if leaf.Subject.CommonName != "system:node:"+nodeName {
		return time.Time{}, fmt.Errorf("certificate of %s", leaf.Subject.CommonName)
	}
	life := leaf.NotAfter.Sub(leaf.NotBefore)
	due := leaf.NotBefore.Add(life / 5 * 4)
	if time.Now().After(due) {
		return time.Time{}, fmt.Errorf("renewal is due")
	}
	return due, nil
}
