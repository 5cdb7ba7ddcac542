package cli

// A Command is what a test must know of a command to run it.
type Command struct {
	Name     string
	Min      int  // arguments
	Document bool // prints a document of its own in any case
	Anywhere bool // needs no Tresor
}

// Commands returns all commands.
func Commands() []Command {
	var list []Command
	for _, c := range commands() {
		list = append(list, Command{c.name, c.min, c.document, c.anywhere})
	}
	return list
}
