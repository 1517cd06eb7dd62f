//go:build assets

// Package e2e names the test binary that is built from this module, so that go.mod and go.sum hold everything it needs.
package e2e

import (
	_ "k8s.io/kubernetes/test/e2e"
)
