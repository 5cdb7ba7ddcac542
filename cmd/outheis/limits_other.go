//go:build !unix

package main

func limitCores() {}
