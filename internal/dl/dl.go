package dl

import (
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"github.com/lucid-go/lucid/internal/fault"
)

// Library is an open shared library.
type Library struct {
	Path   string // as it was found
	what   string
	handle uintptr
}

// Missing is the error of a library that was not found; it lists every attempt.
type Missing struct {
	What  string
	Tried []string // "path: why not"
}

// Error names each path tried.
func (m *Missing) Error() string {
	if len(m.Tried) == 0 {
		return m.What + " was not found: no folder to look for it is known on this system"
	}
	return m.What + " was not found; tried:\n\t" + strings.Join(m.Tried, "\n\t")
}

// Open tries the names in order: in the folders the user named, then as the system's loader finds them, then in other folders.
// Folders may be patterns. what names the library in messages.
func Open(what string, names, named []string, others ...string) (*Library, error) {
	miss := &Missing{What: what}
	try := func(path string) *Library {
		h, err := open(path)
		if err != nil {
			miss.Tried = append(miss.Tried, path+": "+err.Error())
			return nil
		}
		return &Library{Path: path, what: what, handle: h}
	}
	within := func(folders []string) *Library {
		for _, f := range folders {
			for _, n := range names {
				found, err := filepath.Glob(filepath.Join(f, n))
				if err != nil || len(found) == 0 {
					miss.Tried = append(miss.Tried, filepath.Join(f, n)+": no such file")
					continue
				}
				for _, path := range found {
					if l := try(path); l != nil {
						return l
					}
				}
			}
		}
		return nil
	}
	if l := within(named); l != nil {
		return l, nil
	}
	for _, n := range names {
		if l := try(n); l != nil {
			return l, nil
		}
	}
	if l := within(others); l != nil {
		return l, nil
	}
	return nil, fault.Wrap(fault.Device, "dl", miss, "")
}

// Folders lists the folders an environment variable names, as PATH does.
func Folders(env string) (list []string) {
	for _, f := range filepath.SplitList(os.Getenv(env)) {
		if f != "" {
			list = append(list, f)
		}
	}
	return list
}

// Symbol finds a function.
func (l *Library) Symbol(name string) (uintptr, error) {
	p, err := symbol(l.handle, name)
	if err != nil {
		return 0, fault.Wrap(fault.Device, "dl", err, "%s (%s) has no function %s; it may be too old", l.what, l.Path, name)
	}
	return p, nil
}

// Symbols finds many functions: each name is looked up and stored where its pointer says.
func (l *Library) Symbols(fns map[string]*uintptr) error {
	for name, p := range fns {
		f, err := l.Symbol(name)
		if err != nil {
			return err
		}
		*p = f
	}
	return nil
}

// GoString copies a C string.
func GoString(p uintptr) string {
	if p == 0 {
		return ""
	}
	// The address comes from C: it is no Go pointer that could move.
	base := *(*unsafe.Pointer)(unsafe.Pointer(&p))
	n := 0
	for *(*byte)(unsafe.Add(base, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(base), n))
}

// CString makes a C string; the caller keeps it alive over the call.
func CString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }
