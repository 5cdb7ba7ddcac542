//go:build !peers && !long

package main

// thorough makes the scenes larger, and gives things the time that they take.
const thorough = false
