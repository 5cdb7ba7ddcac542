package medien_test

import (
	"strings"
	"testing"

	"outheis/tresor/internal/medien"
)

// D-31: what looks like SVG and is none, and the other way round, stays so.
func TestDetect(t *testing.T) {
	for head, want := range map[string]string{
		"\x89PNG\r\n\x1a\nrest": "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif", "GIF87a": "image/gif", "GIF88a": "",
		"RIFF\x01\x02\x03\x04WEBP": "image/webp", "RIFF\x01\x02\x03\x04WAVE": "", "II*\x00": "image/tiff", "MM\x00*": "image/tiff",
		"%PDF-1.7": "application/pdf", " %PDF-1.7": "", "BMW ist eine Marke": "image/bmp", "\x00\x00\x01\x00": "image/x-icon",
		"....ftypavif": "image/avif", "....ftypmif1": "image/heif", "....ftypmp42": "", "....ftyp": "",
		"<svg>": "image/svg+xml", "\xef\xbb\xbf \n<SVG": "image/svg+xml", "\xbf\xef<svg": "image/svg+xml",
		"<?xml version='1'?>\n<!-- a --> <svg": "image/svg+xml", "<!--><svg": "image/svg+xml", "<!-- offen": "image/svg+xml", "<?php echo 1": "image/svg+xml",
		"<!DOCTYPE svg PUBLIC": "image/svg+xml", "<!doctype html>": "", "<html><svg>": "", "<x:svg": "", "": "", "# Text": "",
		"<!doctype html" + strings.Repeat("ä", 249) + "svg": "", "<!doctype html" + strings.Repeat("x", 480) + "svg": "image/svg+xml",
	} {
		if got := medien.Detect([]byte(head)); got != want {
			t.Errorf("Detect(%.30q) = %q, want %q", head, got, want)
		}
	}
}

func TestTypeOf(t *testing.T) {
	for name, want := range map[string]string{
		"a.png": "image/png", "a.JPEG": "image/jpeg", "a.b.tiff": "image/tiff", ".png": "", "a.": "", "a": "", "a.svg": "", "a.pdf": "application/pdf",
	} {
		if got := medien.TypeOf(name); got != want {
			t.Errorf("TypeOf(%q) = %q, want %q", name, got, want)
		}
	}
}
