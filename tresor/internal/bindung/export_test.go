package bindung

// ManifestLine splits a line of a foreign manifest.
var ManifestLine = manifestLine
