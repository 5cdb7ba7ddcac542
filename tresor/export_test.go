package tresor

// Mutate runs an operation as the writers do.
var Mutate = mutate
