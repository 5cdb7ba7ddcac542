package cli

import (
	"outheis/tresor"
	"outheis/tresor/internal/pjson"
)

func (c *call) checksum() int {
	if c.args.flags["--verify"] {
		return c.verify()
	}
	ctx, release := c.held()
	defer release()
	files, err := tresor.WriteManifest(ctx, c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("files", files)
	c.line("🟢 ", c.say("cli.checksum", files))
	return success
}

func (c *call) verify() int {
	differences, files, err := tresor.Verify(c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("verify", c.verifyObject(tresor.Verification{Differences: differences, Files: files}))
	c.report.findings = append(c.report.findings, differences...)
	return c.differences(differences, files)
}

// differences prints how the Tresor differs from its manifest.
func (c *call) differences(list []tresor.Finding, files int) int {
	for _, f := range list {
		sign := "🔴 "
		if f.Severity == tresor.Warning {
			sign = "🟡 "
		}
		c.line(sign, c.told(f))
	}
	if list != nil {
		c.line()
		return c.concludes("", c.say("cli.verify.red", len(list)))
	}
	c.line("🟢 ", c.say("cli.verify.green", files))
	return success
}

// verifyObject is a comparison with the manifest for --json: the paths that are
// new, missing and changed, and what is wrong with the manifest itself.
func (c *call) verifyObject(v tresor.Verification) pjson.Object {
	lists := map[string][]string{"MF-12": {}, "MF-13": {}, "MF-14": {}, "": {}}
	for _, f := range v.Differences {
		if _, ok := lists[f.Rule]; ok {
			lists[f.Rule] = append(lists[f.Rule], f.Path)
		} else {
			lists[""] = append(lists[""], c.told(f))
		}
	}
	return pjson.Object{"compared": v.Quarantine == nil, "files": v.Files, "new": lists["MF-12"], "missing": lists["MF-13"],
		"changed": lists["MF-14"], "problems": lists[""]}
}
