package cli

// A Command is what a test must know of a command to run it.
type Command struct {
	Name     string
	Min      int  // arguments
	Document bool // prints a document of its own in any case
	Anywhere bool // needs no Tresor
}

// Panic returns what a command with a document of its own prints when it ends by
// a mistake of the program.
func Panic(name, text string) []byte {
	cmd, _ := find(name)
	c := &call{command: cmd}
	cmd.failure(c, text)
	return c.out.Bytes()
}

// Commands returns all commands.
func Commands() []Command {
	var list []Command
	for _, c := range commands() {
		list = append(list, Command{c.name, c.min, c.document, c.anywhere})
	}
	return list
}
