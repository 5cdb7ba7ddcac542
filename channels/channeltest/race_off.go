//go:build !race

package channeltest

// raceDetector says that everything takes many times longer.
const raceDetector = false
