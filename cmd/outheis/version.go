package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: p.t.Say("cmd.version"),
		Args:  p.noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(p.out, versionLine())
			return err
		},
	}
}

// moduleVersion returns the module's version, "devel" in a build from a checkout.
func moduleVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// versionLine names the module version or, in a build from a checkout, the
// commit, and what it was built with.
func versionLine() string {
	commit := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		dirty := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				commit = " " + s.Value[:12]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+"
			}
		}
		commit += dirty
	}
	return fmt.Sprintf("outheis %s%s %s %s/%s", moduleVersion(), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
