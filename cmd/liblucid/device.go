//go:build liblucid

package main

// #include "internal.h"
import "C"

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/cabi"
)

//export lucidgo_devices
func lucidgo_devices(outs *C.lucid_device, count *C.size_t) C.lucid_status {
	if err := missing("devices", unsafe.Pointer(count)); err != nil {
		return done(err)
	}
	found, err := cabi.Devices()
	room := list(outs, *count)
	for i := range min(len(found), len(room)) {
		text(room[i]._type[:], found[i].Type)
		room[i].index = C.int32_t(found[i].Index)
	}
	*count = C.size_t(len(found))
	return done(err)
}

//export lucidgo_set_default_device
func lucidgo_set_default_device(typ *C.char, index C.int32_t) C.lucid_status {
	if err := missing("set_default_device", unsafe.Pointer(typ)); err != nil {
		return done(err)
	}
	return done(cabi.SetDefaultDevice(C.GoString(typ), int(index)))
}

//export lucidgo_set_num_threads
func lucidgo_set_num_threads(n C.int32_t) C.lucid_status { return done(cabi.SetThreads(int(n))) }

//export lucidgo_memory_stats
func lucidgo_memory_stats(device *C.char, index C.int32_t, out *C.lucid_memory) C.lucid_status {
	if err := missing("memory_stats", unsafe.Pointer(device), unsafe.Pointer(out)); err != nil {
		return done(err)
	}
	s, err := cabi.Stats(C.GoString(device), int(index))
	*out = C.lucid_memory{allocated: C.int64_t(s.Allocated), peak: C.int64_t(s.Peak), cached: C.int64_t(s.Cached),
		limit: C.int64_t(s.Limit), allocs: C.int64_t(s.Allocs), frees: C.int64_t(s.Frees)}
	return done(err)
}

//export lucidgo_memory_limit
func lucidgo_memory_limit(device *C.char, index C.int32_t, bytes C.int64_t) C.lucid_status {
	if err := missing("memory_limit", unsafe.Pointer(device)); err != nil {
		return done(err)
	}
	return done(cabi.SetMemoryLimit(C.GoString(device), int(index), int64(bytes)))
}

//export lucidgo_memory_clear
func lucidgo_memory_clear(device *C.char, index C.int32_t) C.lucid_status {
	if err := missing("memory_clear", unsafe.Pointer(device)); err != nil {
		return done(err)
	}
	return done(cabi.ClearCache(C.GoString(device), int(index)))
}
