//go:build !linux

package tresor_test

import "time"

func cpuTime() time.Duration    { return 0 }
func threadTime() time.Duration { return 0 }
