package netz_test

import (
	"net/netip"
	"testing"

	"outheis/tresor/netz"
)

// D-45: only addresses of the public internet.
func TestIsPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.215.14": true, "1.1.1.1": true, "192.0.1.1": true, "100.63.255.255": true, "100.128.0.1": true,
		"172.15.255.255": true, "172.32.0.0": true, "198.17.255.255": true, "198.20.0.0": true, "223.255.255.255": true,
		"0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "100.64.0.1": false, "100.127.255.255": false, "127.0.0.1": false,
		"127.255.255.254": false, "169.254.169.254": false, "172.16.0.1": false, "172.31.255.255": false, "192.0.0.8": false,
		"192.0.2.1": false, "192.88.99.1": false, "192.168.1.1": false, "198.18.0.1": false, "198.19.255.255": false,
		"198.51.100.7": false, "203.0.113.7": false, "224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false, "255.255.255.255": false,
		"2606:4700::1111": true, "2a00:1450:4001:80b::200e": true, "2001:200::1": true,
		"::": false, "::1": false, "::7f00:1": false, "::93.184.215.14": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false,
		"fc00::1": false, "fd12:3456::1": false, "ff02::1": false, "100::1": false, "5f00::1": false, "2001:db8::1": false,
		"3fff::1": false, "2001::1": false, "2001:10::1": false, "2001:20::1": false, "2002:7f00:1::1": false, "2002:5db8:d70e::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.1.2.3": false, "::ffff:93.184.215.14": true, "::ffff:0:127.0.0.1": false,
		"64:ff9b::93.184.215.14": true, "64:ff9b::127.0.0.1": false, "64:ff9b::10.0.0.1": false, "64:ff9b::169.254.169.254": false,
		"64:ff9b:1::93.184.215.14": false, "2606:4700::1111%eth0": false,
	} {
		if got := netz.IsPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
	if netz.IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}
