package main

import (
	"net/url"

	"outheis/config"
	"outheis/tresor/netz"
)

// network returns what the operator allows where a Tresor lists external sources
// on the network. Without a configuration that can be read, that is nothing but
// public hosts.
func (p *program) network() netz.Options {
	o := netz.Options{Version: moduleVersion()}
	dir, err := config.Dir(p.humanFlag, p.env)
	if err != nil {
		return o
	}
	c, problems, err := config.LoadUnresolved(dir, p.environment())
	if err != nil || config.HasErrors(problems) {
		return o
	}
	o.Hosts = c.Tresor.Network.Hosts
	if proxy, err := url.Parse(c.Tresor.Network.Proxy); err == nil && proxy.Host != "" {
		o.Proxy = proxy
	}
	return o
}
