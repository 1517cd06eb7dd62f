// The protobuf of Kubernetes itself: one JSON object a line comes in; its protobuf bytes in base64, a blank and the JSON
// that Go makes of these bytes go out, or ERR and the reason. ../../protobuf.test.ts holds our encoder to it.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"os"

	extensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	metabeta "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// The longest line: an object with every field set.
const maxLine = 64 << 20

func main() {
	types := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{extensions.AddToScheme, meta.AddMetaToScheme, metabeta.AddMetaToScheme} {
		if err := add(types); err != nil {
			panic(err)
		}
	}
	text := json.NewSerializerWithOptions(json.DefaultMetaFactory, types, types, json.SerializerOptions{Strict: true})
	wire := protobuf.NewSerializer(types, types)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		answer, err := translate(lines.Bytes(), text, wire)
		if err != nil {
			answer = fmt.Sprintf("ERR %v", err)
		}
		fmt.Println(answer)
	}
}

func translate(line []byte, text, wire runtime.Serializer) (string, error) {
	object, _, err := text.Decode(line, nil, nil)
	if err != nil {
		return "", err
	}
	var encoded, again bytes.Buffer
	if err := wire.Encode(object, &encoded); err != nil {
		return "", err
	}
	decoded, _, err := wire.Decode(encoded.Bytes(), nil, nil)
	if err != nil {
		return "", err
	}
	if err := text.Encode(decoded, &again); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(encoded.Bytes()) + " " + string(bytes.TrimSpace(again.Bytes())), nil
}
