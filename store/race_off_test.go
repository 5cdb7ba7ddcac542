//go:build !race

package store

const UnderRace = false
