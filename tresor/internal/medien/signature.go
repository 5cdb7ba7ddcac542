package medien

import (
	"bytes"
	"slices"
	"strings"

	"outheis/tresor/internal/profil"
)

// HeadSize is how many bytes of a file [Detect] looks at.
const HeadSize = 64 << 10

// TypeOf returns the media type that a file name promises by its suffix, or "".
func TypeOf(name string) string {
	switch strings.ToLower(profil.Suffix(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	case ".tif", ".tiff":
		return "image/tiff"
	case ".pdf":
		return "application/pdf"
	}
	return ""
}

// Allowed reports whether there is a suffix for a media type that [Detect] found,
// so that a Tresor can hold such a file.
func Allowed(mediaType string) bool {
	return slices.ContainsFunc([]string{".png", ".jpg", ".gif", ".webp", ".tif", ".pdf"}, func(suffix string) bool {
		return TypeOf("a"+suffix) == mediaType
	})
}

// IsSVG reports whether a file name has the suffix of SVG, which is active
// content and not allowed.
func IsSVG(name string) bool { return strings.ToLower(profil.Suffix(name)) == ".svg" }

// Detect returns the media type that the first bytes of a file show, or "" for
// a text and everything unknown (1-format section 9.1).
func Detect(head []byte) string {
	for _, m := range []struct{ magic, mediaType string }{
		{"\x89PNG\r\n\x1a\n", "image/png"},
		{"\xff\xd8\xff", "image/jpeg"},
		{"GIF87a", "image/gif"},
		{"GIF89a", "image/gif"},
		{"RIFF....WEBP", "image/webp"},
		{"II*\x00", "image/tiff"},
		{"MM\x00*", "image/tiff"},
		{"%PDF-", "application/pdf"},
		{"BM", "image/bmp"},
		{"\x00\x00\x01\x00", "image/x-icon"},
	} {
		if hasMagic(head, m.magic) {
			return m.mediaType
		}
	}
	if len(head) >= 12 && string(head[4:8]) == "ftyp" {
		switch string(head[8:12]) {
		case "avif", "avis":
			return "image/avif"
		case "heic", "heix", "hevc", "hevx", "mif1", "msf1":
			return "image/heif"
		}
	}
	if isMarkupImage(head) {
		return "image/svg+xml"
	}
	return ""
}

// hasMagic compares the front of head; a dot stands for any byte.
func hasMagic(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '.' && head[i] != magic[i] {
			return false
		}
	}
	return true
}

// isMarkupImage finds SVG behind blanks, comments and processing instructions.
// One that is not closed counts as SVG.
func isMarkupImage(head []byte) bool {
	rest := dropFront(lowerASCII(head), "\xef\xbb\xbf \t\r\n")
	for {
		var end string
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = "-->"
		case bytes.HasPrefix(rest, []byte("<?")):
			end = "?>"
		case bytes.HasPrefix(rest, []byte("<!doctype")):
			return bytes.Contains(rest[:min(len(rest), 512)], []byte("svg"))
		default:
			return bytes.HasPrefix(rest, []byte("<svg"))
		}
		i := bytes.Index(rest, []byte(end))
		if i < 0 {
			return true
		}
		rest = dropFront(rest[i+len(end):], " \t\r\n")
	}
}

// dropFront removes leading bytes, not characters, that are in set.
func dropFront(b []byte, set string) []byte {
	for len(b) > 0 && strings.IndexByte(set, b[0]) >= 0 {
		b = b[1:]
	}
	return b
}

func lowerASCII(b []byte) []byte {
	low := bytes.Clone(b)
	for i, c := range low {
		if c >= 'A' && c <= 'Z' {
			low[i] = c + 'a' - 'A'
		}
	}
	return low
}
