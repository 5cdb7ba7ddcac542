// Package peers starts real servers for tests: programs that nobody of this
// project wrote, as .ci/peers installs them. It is no part of the product, and
// all of it but this sentence carries the build tag peers.
//
// A test that needs a server calls [Start] and shares what it gets among its
// subtests; the server ends with the test. Where a program is missing the test
// is skipped and says which.
package peers
