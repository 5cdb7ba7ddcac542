// Package store is the human directory: the one folder of plain files in which
// outheis keeps everything that it knows about people.
//
// [Open] makes or checks the folder and takes its lock; the [Human] that it
// returns is the only way to the files. What is appended to goes through a
// [Log] (JSONL, one record a line), what is edited as a whole goes through a
// [Doc] (Markdown, JSON), what is large goes into a blob named by its hash.
// Schema versions and their migration stand in schema.go and nowhere else.
//
// Three promises hold for every file. No path leaves the folder: all access
// goes through [os.Root], symbolic and hard links are refused. Nothing is half
// written: a file is replaced by rename after an fsync, a record counts when
// its fdatasync has returned. Nobody else reads along: files are 0600,
// directories 0700, under any umask, and a folder into which others can write
// is refused.
//
// The package does not log, knows no sentence for people (its [Explain] names
// one), no configuration and no other package of ours. It is no database: what
// it stores can be read with a pager and repaired with an editor.
package store
