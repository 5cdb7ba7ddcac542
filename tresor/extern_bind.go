package tresor

import (
	"context"
	"time"

	"outheis/tresor/internal/bindung"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// A Place is where a listed external source can be read on this machine.
type Place struct {
	Source Source
	Mode   string // "lokal", "netz" or "unbound"
	Root   string // the resolved folder of a local source, else ""
	Reason string // why a source is unbound, else ""
}

// A BindingError is why a source is not bound or released.
type BindingError struct{ Text string } // in the language of the options

func (e *BindingError) Error() string { return "tresor: binding: " + e.Text }

// Places returns the listed external sources by ID. Errors in their register or
// in the binding file give an [*InvalidError] with all of them.
func Places(dir string, o Options) ([]Place, error) {
	t, err := o.open(dir)
	if err != nil {
		return nil, unreadable(dir, err, o)
	}
	defer t.Close()
	sources, file, err := loadBindings(t, o)
	if err != nil {
		return nil, err
	}
	var places []Place
	for _, id := range register.IDs(sources) {
		status := file.Status(sources[id], t.Root())
		p := Place{Source: externalSource(sources[id]), Mode: string(status.Mode), Root: status.Root.Path}
		if status.Reason != nil {
			p.Reason = status.Reason.In(o.Lang)
		}
		places = append(places, p)
	}
	return places, nil
}

// Bind binds a listed local source to the folder root, an absolute path, and
// returns the folder that is read from now on, its links resolved. It writes
// .vault-extern.json, as a transaction under the write lock (deviation D-58). A
// source or folder that is refused gives a [*BindingError]; other errors are
// those of [Places] and [WriteIndex].
func Bind(ctx context.Context, dir, id, root string, o Options) (resolved string, err error) {
	err = mutate(ctx, dir, "extern", o, func(w *writing) error {
		source, file, err := bindable(w.tree, id, o)
		if err != nil {
			return err
		}
		r, why := bindung.Resolve(root, w.tree.Root())
		if why != nil {
			return refuseBinding(o, "XB-3", *why)
		}
		for _, other := range file.Without(id).Bindings {
			at, why := bindung.Resolve(other.Root, w.tree.Root())
			if why == nil && at.Overlaps(r) {
				return refuseBinding(o, "XB-4", other.SourceID, other.Root)
			}
		}
		resolved = r.Path
		file = file.With(bindung.Binding{Key: source.Key, SourceID: id, Root: resolved, BoundAt: o.now().Format(time.DateOnly)})
		return w.replace(ctx, nil, nil, txn.Target{Path: profil.BindingFile, Content: file.Render(), Mode: 0o600})
	})
	return resolved, err
}

// Unbind releases a listed local source. Where it was not bound nothing is
// written and was is false. Errors are those of [Bind].
func Unbind(ctx context.Context, dir, id string, o Options) (was bool, err error) {
	err = mutate(ctx, dir, "extern", o, func(w *writing) error {
		_, file, err := bindable(w.tree, id, o)
		if err != nil {
			return err
		}
		if _, was = file.Binding(id); !was {
			return nil
		}
		return w.replace(ctx, nil, nil, txn.Target{Path: profil.BindingFile, Content: file.Without(id).Render(), Mode: 0o600})
	})
	return was, err
}

// bindable returns a listed source that can be bound, and the present bindings.
func bindable(t *tree.Tree, id string, o Options) (register.External, bindung.File, error) {
	sources, file, err := loadBindings(t, o)
	if err != nil {
		return register.External{}, file, err
	}
	source, ok := sources[id]
	switch {
	case !ok:
		err = refuseBinding(o, "XB-1", id)
	case source.IsNetwork():
		err = refuseBinding(o, "XB-2", id)
	}
	return source, file, err
}

func refuseBinding(o Options, key string, args ...any) error {
	return &BindingError{wording.Say(o.Lang, key, args...)}
}

// loadBindings reads the register of external sources and the binding file; the
// latter only where the former is without errors.
func loadBindings(t *tree.Tree, o Options) (map[string]register.External, bindung.File, error) {
	var f check.Findings
	file := bindung.Empty()
	sources := register.LoadExternal(t, &f)
	if f.Errors == nil {
		file = bindung.Load(t, &f)
	}
	if f.Errors != nil {
		return nil, file, &InvalidError{State: InvalidVault, Name: t.Name(), Findings: findings(f.Errors, Error, o)}
	}
	return sources, file, nil
}
