package netz

import "net/netip"

// IsPublic reports whether an address belongs to the public internet. A name
// that resolves to any other, such as the router's or the cloud's own service,
// is never asked.
//
// Of IPv6 only global unicast (2000::/3) is public, less documentation, 6to4 and
// the protocol assignments with Teredo: they carry an IPv4 address past this
// check or name no host. NAT64 (64:ff9b::/96), which networks without IPv4 need
// for half of the internet, is as public as the IPv4 address inside; so is an
// IPv4-mapped address.
func IsPublic(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.Is6() && nat64.Contains(a) {
		b := a.As16()
		a = netip.AddrFrom4([4]byte(b[12:]))
	}
	if a.Is6() && !global6.Contains(a) {
		return false
	}
	for _, p := range special() {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}

var (
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	global6 = netip.MustParsePrefix("2000::/3")
)

// special are the ranges of the registries of special-purpose addresses that are
// not reachable from everywhere (RFC 6890 and its successors).
func special() []netip.Prefix {
	return []netip.Prefix{
		netip.PrefixFrom(netip.AddrFrom4([4]byte{0}), 8),                         // this network, unspecified
		netip.PrefixFrom(netip.AddrFrom4([4]byte{10}), 8),                        // private
		netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10),                  // carriers' shared space
		netip.PrefixFrom(netip.AddrFrom4([4]byte{127}), 8),                       // loopback
		netip.PrefixFrom(netip.AddrFrom4([4]byte{169, 254}), 16),                 // link-local, cloud metadata
		netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 16}), 12),                  // private
		netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 0}), 24),                // protocol assignments
		netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2}), 24),                // documentation
		netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 88, 99}), 24),              // 6to4 relays
		netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 168}), 16),                 // private
		netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 18}), 15),                  // benchmarks
		netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 51, 100}), 24),             // documentation
		netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, 113}), 24),              // documentation
		netip.PrefixFrom(netip.AddrFrom4([4]byte{224}), 4),                       // multicast
		netip.PrefixFrom(netip.AddrFrom4([4]byte{240}), 4),                       // reserved, broadcast
		netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x01}), 23),             // protocol assignments, Teredo
		netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8}), 32), // documentation
		netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 0x02}), 16),             // 6to4
		netip.PrefixFrom(netip.AddrFrom16([16]byte{0x3f, 0xff}), 20),             // documentation
	}
}
