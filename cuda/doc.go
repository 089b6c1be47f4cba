// Package cuda makes NVIDIA GPUs a device of lucid. Importing it is enough:
//
//	import _ "github.com/lucid-go/lucid/cuda"
//
//	lucid.SetDefaultDevice(lucid.CUDA(0))
//
// Nothing is linked: the driver, the compiler library NVRTC and cuBLAS are looked for when the device is first used, and an
// error names each path that was tried. Ops without a kernel of their own run on the host and are counted; with
// LUCID_CUDA_STRICT=1 they are an error. Kernels are compiled at first use and cached in the user's cache folder, or in
// LUCID_CACHE_DIR; libraries in unusual folders are found by LUCID_CUDA_PATH, a list of folders.
package cuda
