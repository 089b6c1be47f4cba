// Package npz owns NumPy's formats: .npy, one array, and .npz, a zip archive of them.
//
// Any layout (C and Fortran order), byte order and header version (1.0 to 3.0) is read, and comes out row-major and
// little-endian. "=" and a missing byte order mean little-endian. The header is a Python literal; a closed grammar
// of three keys reads it, nothing is evaluated, and arrays of Python objects are refused. Archive entries may be
// stored or deflated; their sizes are checked against the archive's length, the most deflate can do, each other,
// and the limits, before anything is inflated. Checksums of an archive are checked; a lone .npy has none.
//
// NumPy has no bfloat16. An array of them is written as two-byte voids ("<V2"), which is what ml_dtypes does; NumPy
// shows it as void and a .view() brings it back. The comment of an archive we write names
// those arrays and holds the metadata, so that our reader restores both and others find arrays only. Without it V2 is refused, unless
// Options.VoidAsBFloat16 says what it is; a lone .npy takes bfloat16 only if WriteOptions.BFloat16AsVoid is set.
package npz
