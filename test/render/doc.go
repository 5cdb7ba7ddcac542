// Package render holds the suite that judges the renderer by the networks' own
// parsers. It is tagged "peers": .ci/peers installs what it needs.
package render
