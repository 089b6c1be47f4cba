// Package clibrary tests the C library (cmd/liblucid) as programs in C, C++ and Python use it. It needs a C compiler and builds the
// library, so its tests run only where LUCID_CLIBRARY is set, as the stage clibrary of .ci/run does.
package clibrary
