package main

import "bytes"

// keyStart is where the last PEM block begins: the store keeps certificates first and the key last.
func keyStart(text []byte) int {
	return bytes.LastIndex(text, []byte("-----BEGIN "))
}
