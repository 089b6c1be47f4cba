package driver

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/lucid-go/lucid/internal/dl"
	"github.com/lucid-go/lucid/internal/fault"
)

// The functions of the driver that are used.
var cu struct {
	init, driverGetVersion, getErrorName, getErrorString                                        uintptr
	deviceGetCount, deviceGet, deviceGetName, deviceTotalMem, deviceGetAttribute                uintptr
	primaryCtxRetain, ctxSetCurrent                                                             uintptr
	streamCreate, streamSynchronize, streamDestroy                                              uintptr
	eventCreate, eventRecord, eventSynchronize, eventElapsedTime, eventDestroy, streamWaitEvent uintptr
	memAlloc, memFree, memAllocAsync, memFreeAsync, memGetInfo, deviceGetDefaultMemPool         uintptr
	memPoolSetAttribute, memPoolTrimTo, memHostAlloc                                            uintptr
	memcpyHtoD, memcpyDtoH, memcpyDtoD, memsetD8, memset2D                                      uintptr
	moduleLoadData, moduleGetFunction, launchKernel, funcSetAttribute                           uintptr
	streamBeginCapture, streamEndCapture, graphInstantiate, graphLaunch, graphExecDestroy       uintptr
	memcpyPeer, deviceCanAccessPeer, ctxEnablePeerAccess                                        uintptr
	graphDestroy, memFreeHost, streamGetCaptureInfo, streamUpdateCaptureDependencies            uintptr
	// 0 where missing: the latter came with CUDA 12.3
	graphNodeGetType, streamUpdateCaptureEdges, occupancyClusters         uintptr
	graphConditionalHandleCreate, graphAddNode, streamBeginCaptureToGraph uintptr
}

// Path is where the driver library was found, Version its CUDA version as 1000·major + 10·minor; set by Init.
var (
	Path    string
	Version int
)

var names = map[string][]string{
	"linux":   {"libcuda.so.1", "libcuda.so"},
	"windows": {"nvcuda.dll"},
}

var folders = []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/nvidia/lib64",
	"/usr/local/nvidia/lib", "/usr/lib/wsl/lib"}

// Init opens the driver, once. Its error names each path tried.
var Init = sync.OnceValue(func() error {
	if names[runtime.GOOS] == nil {
		return fault.New(fault.Device, "cuda", "there is no CUDA driver for %s", runtime.GOOS)
	}
	// The system's own matches the kernel module, so it goes before the user's folders.
	lib, err := dl.Open("the CUDA driver", names[runtime.GOOS], nil, append(dl.Folders("LUCID_CUDA_PATH"), folders...)...)
	if err != nil {
		return fault.Wrap(fault.Device, "cuda", err, "no NVIDIA driver on this machine")
	}
	Path = lib.Path
	if err := lib.Symbols(map[string]*uintptr{
		"cuInit": &cu.init, "cuDriverGetVersion": &cu.driverGetVersion, "cuGetErrorName": &cu.getErrorName,
		"cuGetErrorString": &cu.getErrorString,
		"cuDeviceGetCount": &cu.deviceGetCount, "cuDeviceGet": &cu.deviceGet, "cuDeviceGetName": &cu.deviceGetName,
		"cuDeviceTotalMem_v2": &cu.deviceTotalMem, "cuDeviceGetAttribute": &cu.deviceGetAttribute,
		"cuDevicePrimaryCtxRetain": &cu.primaryCtxRetain, "cuCtxSetCurrent": &cu.ctxSetCurrent,
		"cuStreamCreate": &cu.streamCreate, "cuStreamSynchronize": &cu.streamSynchronize, "cuStreamDestroy_v2": &cu.streamDestroy,
		"cuEventCreate": &cu.eventCreate, "cuEventRecord": &cu.eventRecord, "cuEventSynchronize": &cu.eventSynchronize,
		"cuEventElapsedTime": &cu.eventElapsedTime, "cuEventDestroy_v2": &cu.eventDestroy, "cuStreamWaitEvent": &cu.streamWaitEvent,
		"cuMemAlloc_v2": &cu.memAlloc, "cuMemFree_v2": &cu.memFree, "cuMemAllocAsync": &cu.memAllocAsync,
		"cuMemFreeAsync":  &cu.memFreeAsync,
		"cuMemGetInfo_v2": &cu.memGetInfo, "cuDeviceGetDefaultMemPool": &cu.deviceGetDefaultMemPool,
		"cuMemPoolSetAttribute": &cu.memPoolSetAttribute, "cuMemPoolTrimTo": &cu.memPoolTrimTo, "cuMemHostAlloc": &cu.memHostAlloc,
		"cuMemFreeHost":        &cu.memFreeHost,
		"cuMemcpyHtoDAsync_v2": &cu.memcpyHtoD, "cuMemcpyDtoHAsync_v2": &cu.memcpyDtoH, "cuMemcpyDtoDAsync_v2": &cu.memcpyDtoD,
		"cuMemsetD8Async": &cu.memsetD8, "cuMemsetD2D8Async": &cu.memset2D, "cuModuleLoadData": &cu.moduleLoadData,
		"cuModuleGetFunction": &cu.moduleGetFunction,
		"cuLaunchKernel":      &cu.launchKernel, "cuFuncSetAttribute": &cu.funcSetAttribute,
		"cuStreamBeginCapture_v2": &cu.streamBeginCapture, "cuStreamEndCapture": &cu.streamEndCapture,
		"cuGraphInstantiateWithFlags": &cu.graphInstantiate, "cuGraphLaunch": &cu.graphLaunch, "cuGraphExecDestroy": &cu.graphExecDestroy,
		"cuMemcpyPeerAsync": &cu.memcpyPeer, "cuDeviceCanAccessPeer": &cu.deviceCanAccessPeer,
		"cuCtxEnablePeerAccess": &cu.ctxEnablePeerAccess,
		"cuGraphDestroy":        &cu.graphDestroy, "cuStreamGetCaptureInfo_v2": &cu.streamGetCaptureInfo,
		"cuStreamUpdateCaptureDependencies": &cu.streamUpdateCaptureDependencies,
	}); err != nil {
		return err
	}
	cu.graphNodeGetType, _ = lib.Symbol("cuGraphNodeGetType")
	cu.streamUpdateCaptureEdges, _ = lib.Symbol("cuStreamUpdateCaptureDependencies_v2")
	cu.occupancyClusters, _ = lib.Symbol("cuOccupancyMaxActiveClusters")
	cu.graphConditionalHandleCreate, _ = lib.Symbol("cuGraphConditionalHandleCreate")
	cu.graphAddNode, _ = lib.Symbol("cuGraphAddNode_v2")
	cu.streamBeginCaptureToGraph, _ = lib.Symbol("cuStreamBeginCaptureToGraph")
	if s := dl.Call(cu.init, 0); s != 0 {
		return fail(s, "starting the driver %s", Path)
	}
	v := new(int32)
	if s := dl.Call(cu.driverGetVersion, uintptr(unsafe.Pointer(v))); s != 0 {
		return fail(s, "asking for the driver's version")
	}
	Version = int(*v)
	return nil
})

// Count returns the number of devices.
func Count() (int, error) {
	if err := Init(); err != nil {
		return 0, err
	}
	n := new(int32)
	if s := dl.Call(cu.deviceGetCount, uintptr(unsafe.Pointer(n))); s != 0 {
		return 0, fail(s, "counting devices")
	}
	return int(*n), nil
}

const statusOutOfMemory = 2

// fail makes a status an error: the CUDA name, its meaning, and what was being done.
func fail(status uintptr, doing string, args ...any) error {
	text := func(fn uintptr) string {
		p := new(uintptr)
		if dl.Call(fn, status, uintptr(unsafe.Pointer(p))) != 0 {
			return "unknown"
		}
		return dl.GoString(*p)
	}
	kind := fault.Device
	status = uintptr(uint32(status))
	if status == statusOutOfMemory {
		kind = fault.OutOfMemory
	}
	return fault.New(kind, "cuda", "%s: %s (%d): %s", fmt.Sprintf(doing, args...), text(cu.getErrorName), status, text(cu.getErrorString))
}
