package nvrtc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Counts of what Cached did.
var (
	Hits     atomic.Int64 // read from disk
	Compiled atomic.Int64
)

// header begins an entry; a checksum of the code and the code follow.
const header = "lucid cubin 1\n"

// Folder is where entries are stored: $LUCID_CACHE_DIR, or the user's cache folder; "" if there is none.
func Folder() string {
	if d := os.Getenv("LUCID_CACHE_DIR"); d != "" {
		return filepath.Join(d, "cuda")
	}
	d, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(d, "lucid", "cuda")
}

// Cached is Compile behind the disk cache; the library is opened only on a miss. driver is the driver's version. A folder
// that cannot be written makes it slower, not wrong.
func Cached(driver int, name, source, arch string, options ...string) ([]byte, error) {
	key := fmt.Sprintf("%d\x00%s\x00%q\x00%s", driver, arch, options, source)
	if code, ok := Load(key); ok {
		Hits.Add(1)
		return code, nil
	}
	code, err := Compile(name, source, arch, options...)
	if err != nil {
		return nil, err
	}
	Compiled.Add(1)
	Store(key, code)
	return code, nil
}

// Cold reports whether the cache is empty.
func Cold() bool {
	f, err := os.Open(Folder())
	if err != nil {
		return true
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err != nil
}

// path is the file of an entry, "" if there is no folder.
func path(key string) string {
	dir := Folder()
	if dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(dir, hex.EncodeToString(sum[:]))
}

// Load returns what is cached under a key.
func Load(key string) ([]byte, bool) {
	if p := path(key); p != "" {
		return read(p)
	}
	return nil, false
}

// Store caches data for Load, also in later processes.
func Store(key string, data []byte) {
	if p := path(key); p != "" {
		write(filepath.Dir(p), p, data)
	}
}

// read returns an entry's code if its checksum matches.
func read(path string) ([]byte, bool) {
	b, err := os.ReadFile(path)
	if err != nil || len(b) < len(header)+sha256.Size || string(b[:len(header)]) != header {
		return nil, false
	}
	sum, code := b[len(header):len(header)+sha256.Size], b[len(header)+sha256.Size:]
	if got := sha256.Sum256(code); string(got[:]) != string(sum) {
		return nil, false
	}
	return code, true
}

// write stores an entry atomically, or nothing.
func write(dir, path string, code []byte) {
	if os.MkdirAll(dir, 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(dir, "new-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(code)
	_, err = f.Write(append(append([]byte(header), sum[:]...), code...))
	if cerr := f.Close(); err != nil || cerr != nil || os.Rename(f.Name(), path) != nil {
		_ = os.Remove(f.Name()) // only a leftover file
	}
}
