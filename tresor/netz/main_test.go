package netz_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No connection outlives its fetch.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
