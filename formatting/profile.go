package formatting

// A Profile says, as data, what a network can show.
type Profile struct {
	Name string
}
