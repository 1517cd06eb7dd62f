//go:build assets

// Package assets names the commands that are built from this module, so that
// go.mod and go.sum hold everything they need.
package assets

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubelet"
)
