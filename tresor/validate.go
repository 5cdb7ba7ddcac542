package tresor

import (
	"io/fs"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/tree"
)

// Validate checks the folder dir by every rule of the format and returns all
// findings. It writes nothing and needs no release. That dir itself cannot be
// read is an error by the rule LD-10.
func Validate(dir string, o Options) Report {
	t, err := o.open(dir)
	if err != nil {
		return Report{Errors: unreadable(dir, err, o).Findings}
	}
	defer t.Close()
	return validate(t, o)
}

// ValidateFS is [Validate] for a Tresor in a file system.
func ValidateFS(fsys fs.FS, o Options) Report { return validate(tree.OpenFS(fsys, ""), o) }

func validate(t *tree.Tree, o Options) Report {
	b, found := bestand.Load(t)
	return reportOf(b, found, o)
}

func reportOf(b *bestand.Bestand, found *check.Findings, o Options) Report {
	return Report{
		Errors:   findings(found.Errors, Error, o),
		Warnings: findings(found.Warnings, Warning, o),
		Hints:    findings(found.Hints, Hint, o),
		Pages:    len(b.Pages),
		Claims:   len(b.Claims),
		Sources:  len(b.Sources),
		External: len(b.Externals),
	}
}
