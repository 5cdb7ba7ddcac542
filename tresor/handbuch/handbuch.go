// Package handbuch holds the handbook of outheis: a released Tresor in which
// outheis explains itself, embedded in the binary. It answers when no other
// Tresor is configured, and when a question names it.
//
// The folder tresor beside this file is an ordinary Tresor and is kept like
// one. What outheis learns to do is first written into a document of ours in
// sources/raw, in numbered paragraphs; a claim is such a paragraph, word for
// word, with its number as Fundstelle. To add one:
//
//  1. write the paragraph, and put the document's new SHA-256 into
//     sources/REGISTER.md;
//  2. add the claim to a page in knowledge (the next free number of the page's
//     hundred), raise the page's version and stand, and see that its Kurzfassung
//     still says nothing that no claim says;
//  3. add the words that people use for it to schema/begriffswelten.json and
//     ROUTER.md;
//  4. put the day into geprueft_am once the test is green, which is the process
//     that checks the handbook;
//  5. raise VERSION where people have the one that it says, note the release in
//     log.md, and derive INDEX, graph and manifest: "go generate" here;
//  6. add what people will ask to agents/tresor/testdata/fragen-handbuch.jsonl,
//     also what they will ask in vain, and look at what goes wrong with
//     "outheis tresor eval --misses".
//
// The numbers of claims are cited elsewhere and never given to another one: a
// claim that is no longer true is replaced, or its page outdated, not moved.
//
// A claim is read by a person as the whole answer: one or two finished
// sentences that need no other, true of the product as it is built. The test
// holds what of that can be held: the wording is that of the source, commands
// and keys exist, the release is complete.
//
// The package imports nothing of ours and knows nothing of the engine.
package handbuch

import (
	"embed"
	"io/fs"
)

// Name is the name by which the handbook is asked and cited.
const Name = "handbuch"

//go:generate go run outheis/cmd/outheis tresor --root tresor index
//go:generate go run outheis/cmd/outheis tresor --root tresor graph
//go:generate go run outheis/cmd/outheis tresor --root tresor checksum

//go:embed all:tresor
var files embed.FS

// FS returns the handbook's folder, to be read by tresor.OpenFS.
func FS() fs.FS {
	sub, err := fs.Sub(files, "tresor")
	if err != nil {
		panic(err) // the name is a valid path
	}
	return sub
}
