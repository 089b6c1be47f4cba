//go:build !purego

package gemm

import "syscall"

// askForTiles asks the system to save the tiles of this process's threads, without which using
// one is a fault. The error is nil if it will.
func askForTiles() error {
	const (
		sysArchPrctl = 158
		reqXCompPerm = 0x1023 // ARCH_REQ_XCOMP_PERM
		xTileData    = 18     // the state component
	)
	_, _, errno := syscall.RawSyscall(sysArchPrctl, reqXCompPerm, xTileData, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
