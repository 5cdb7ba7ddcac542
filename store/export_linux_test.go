package store

// FSKind shows what a magic number of statfs is taken for.
var FSKind = fsKind
