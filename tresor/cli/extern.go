package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/wording"
	"outheis/tresor/netz"
)

// extern shows where the listed external sources lie on this machine, and binds
// local ones to folders.
func (c *call) extern() int {
	words := append(c.args.words, "", "")
	action, id, root := words[0], words[1], words[2]
	if !utf8.ValidString(action) || !utf8.ValidString(id) {
		return c.usage("cli.utf8", c.command.name)
	}
	switch {
	case action == "list":
		return c.externList()
	case action != "bind" && action != "unbind":
		return c.usage("cli.extern.action", action)
	case id == "":
		return c.refuse("cli.extern.id", action)
	case action == "unbind":
		return c.externUnbind(id)
	case len(c.args.words) < 3:
		return c.refuse("cli.extern.path")
	}
	return c.externBind(id, root)
}

func externActions() []string { return []string{"list", "bind", "unbind"} }

// externFails prints why the bindings cannot be read or written.
func (c *call) externFails(err error) int {
	var invalid *tresor.InvalidError
	var binding *tresor.BindingError
	switch {
	case errors.As(err, &binding):
		return c.refuse("cli.extern.refused", c.typed(binding.Text))
	case errors.As(err, &invalid) && invalid.State == tresor.InvalidVault:
		c.findings(invalid.Findings)
		return refused
	}
	return c.fails(err)
}

func (c *call) externList() int {
	places, err := tresor.Places(c.dir(), c.options())
	if err != nil {
		return c.externFails(err)
	}
	sources := []any{}
	offline := netz.Offline(c.Env(offlineVariable))
	if len(places) == 0 {
		c.line("🟡 ", c.say("cli.extern.none"))
	} else {
		c.line(c.say("cli.extern.head", len(places)))
	}
	for _, p := range places {
		sign, at := "🟢", ""
		switch {
		case p.Mode == "lokal":
			at = c.say("cli.extern.local", p.Root)
		case p.Mode == "unbound":
			sign, at = "🟡", c.say("cli.extern.unbound", c.typed(p.Reason))
		case offline:
			sign, at = "🟡", c.say("cli.extern.offline", p.Source.Ziel)
		default:
			at = c.say("cli.extern.net", p.Source.Ziel)
		}
		c.line(fmt.Sprintf("  %s %s  %-16s %s", sign, p.Source.ID, p.Source.Art, wording.Printable(p.Source.Title)))
		c.line("       ", at)
		o := pjson.Object{"id": p.Source.ID, "kind": p.Source.Art, "title": p.Source.Title, "target": p.Source.Ziel, "mode": p.Mode, "root": nil, "reason": nil}
		if p.Root != "" {
			o["root"] = p.Root
		}
		if p.Reason != "" {
			o["reason"] = c.typed(p.Reason)
		}
		sources = append(sources, o)
	}
	c.set("sources", sources)
	c.set("offline", offline)
	return success
}

func (c *call) externBind(id, root string) int {
	ctx, release := c.held()
	defer release()
	resolved, err := tresor.Bind(ctx, c.dir(), id, root, c.options())
	if err != nil {
		return c.externFails(err)
	}
	c.set("root", resolved)
	c.line("🟢 ", c.say("cli.extern.bound", id, resolved))
	return success
}

func (c *call) externUnbind(id string) int {
	ctx, release := c.held()
	defer release()
	was, err := tresor.Unbind(ctx, c.dir(), id, c.options())
	switch {
	case err != nil:
		return c.externFails(err)
	case !was:
		c.line("🟡 ", c.say("cli.extern.unchanged", id))
	default:
		c.line("🟢 ", c.say("cli.extern.released", id))
	}
	c.set("changed", was)
	return success
}

// ask answers a question, with --extern from the listed external sources too.
func (c *call) ask(question string, q tresor.QueryOptions) tresor.Result {
	if !c.args.flags["--extern"] {
		return tresor.Query(c.dir(), question, q, c.options())
	}
	ctx, release := c.held() // a fetch is written to the log
	defer release()
	l := tresor.LookupOptions{Sources: c.args.all["--source"], Network: c.network()}
	return tresor.QueryExternal(ctx, c.dir(), question, q, l, c.options())
}

// offlineVariable switches the network off.
const offlineVariable = "SKILLSAFE_OFFLINE"

// network reads for this one command.
func (c *call) network() tresor.Network {
	o := c.Options.Network
	o.Offline = netz.Offline(c.Env(offlineVariable))
	o.Now = c.Now
	o.CacheBase = c.Env("XDG_CACHE_HOME")
	if home := c.Env("HOME"); !filepath.IsAbs(o.CacheBase) {
		o.CacheBase = ""
		if filepath.IsAbs(home) {
			o.CacheBase = filepath.Join(home, ".cache")
		}
	}
	return netz.New(o)
}
