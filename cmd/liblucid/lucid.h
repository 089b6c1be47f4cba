/*
 * lucid.h - the C interface of Lucid: run exported functions, and ops by name.
 *
 * C99 and C++. Link with -llucid, or see lucid.pc for pkg-config.
 *
 * Errors. Functions that can fail return a lucid_status; 0 is success. lucid_last_error() says what was wrong with the last
 * call of the same thread that failed. After a failure the results of a call are unspecified, but nothing has to be freed.
 *
 * Ownership. What a function writes through a parameter "out" or "outs" belongs to the caller, who frees it: tensors with
 * lucid_tensor_free, functions with lucid_function_free. Tensors are immutable. A tensor, function or op that is 0, was freed, or never
 * was, is refused with LUCID_FREED or LUCID_VALUE; freeing it does nothing. Strings that are returned belong to the library.
 *
 * Threads. Every function may be called by any thread, at any time; a tensor and a function may be used by several threads at once. The
 * pointer of lucid_last_error belongs to the thread that asks. Calls of a function whose signature changes state run one after the other.
 *
 * Laziness. An op is recorded when it is called and computed when its value is asked for: by lucid_tensor_eval, _read, _data or
 * _to_dlpack. Errors that depend on values come then. Functions (lucid_function_call, _run) are computed before they return.
 *
 * Processes. After fork() the child cannot use the library: every call returns LUCID_FORKED and does nothing. A child that calls exec is
 * not concerned. The library cannot be unloaded (dlclose does nothing).
 *
 * Signals. Handlers that the program had before the library was loaded go on working; Go handles faults of its own code only. A program
 * that installs handlers later sets SA_ONSTACK, as Go asks of every program.
 */
#ifndef LUCID_H
#define LUCID_H

#include <stddef.h>
#include <stdint.h>

#if defined(LUCID_BUILD) && defined(_WIN32)
#define LUCID_API __declspec(dllexport)
#elif defined(_WIN32)
#define LUCID_API __declspec(dllimport)
#elif defined(__GNUC__)
#define LUCID_API __attribute__((visibility("default")))
#else
#define LUCID_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. It grows when something is added; nothing is ever taken away or changed under the same name. */
#define LUCID_ABI_VERSION 1

/* The most dimensions of a tensor. */
#define LUCID_MAX_RANK 16

typedef int32_t lucid_status;

enum {
	LUCID_OK = 0,
	LUCID_INTERNAL = 1,        /* a mistake of the library */
	LUCID_SHAPE = 2,           /* shapes that do not fit */
	LUCID_DTYPE = 3,           /* dtypes that do not fit */
	LUCID_INDEX = 4,           /* an index out of range */
	LUCID_DEVICE = 5,          /* a device that is not there, or not the same */
	LUCID_OUT_OF_MEMORY = 6,   /* of a device; the program can go on */
	LUCID_NOT_IMPLEMENTED = 7, /* no such op, or not in this form */
	LUCID_VERSION = 8,         /* a file of a newer library */
	LUCID_FORMAT = 9,          /* a file that is damaged or of another kind */
	LUCID_VALUE = 10,          /* an argument outside its domain */
	LUCID_FREED = 11,          /* a tensor or function that was freed, or never was */
	LUCID_CANCELED = 12,
	LUCID_SINGULAR = 13, /* a matrix without the factorisation that was asked for */
	LUCID_IO = 14,       /* the system could not read a file */
	LUCID_FORKED = 15    /* the process is a fork of the one that loaded the library */
};

typedef int32_t lucid_dtype;

enum {
	LUCID_BOOL = 1, /* one byte, 0 or 1 */
	LUCID_UINT8 = 2,
	LUCID_UINT16 = 3,
	LUCID_UINT32 = 4,
	LUCID_UINT64 = 5,
	LUCID_INT8 = 6,
	LUCID_INT16 = 7,
	LUCID_INT32 = 8,
	LUCID_INT64 = 9,
	LUCID_FLOAT16 = 10,
	LUCID_BFLOAT16 = 11,
	LUCID_FLOAT32 = 12,
	LUCID_FLOAT64 = 13,
	LUCID_COMPLEX64 = 14,
	LUCID_COMPLEX128 = 15
};

typedef uint64_t lucid_tensor;   /* 0: none */
typedef uint64_t lucid_function; /* 0: none */
typedef int32_t lucid_op;        /* 0: none; numbers hold for one process, and need not be freed */

/* ---- the library ---- */

/* The version of the library, such as "0.1.0". */
LUCID_API const char *lucid_version(void);

/* LUCID_ABI_VERSION of the library: at least that of the header the program was compiled with. */
LUCID_API int32_t lucid_abi_version(void);

/* What was wrong with the last call of this thread that failed, "" if none did. The text stays until the next failure of the thread. */
LUCID_API const char *lucid_last_error(void);

/* Its status. */
LUCID_API lucid_status lucid_last_status(void);

/* The number of bytes of an element, 0 if the dtype is none. */
LUCID_API size_t lucid_dtype_size(lucid_dtype dtype);

/* ---- tensors ---- */

/*
 * A tensor of a copy of elements in row-major order. size is their number of bytes, which the dtype and the shape must give. shape has
 * rank sizes; it may be NULL if rank is 0.
 */
LUCID_API lucid_status lucid_tensor_copy(lucid_dtype dtype, int32_t rank, const int64_t *shape, const void *data, size_t size,
                                         lucid_tensor *out);

/*
 * A tensor of the caller's own elements, without a copy. They must not change or go away until release(context) is called: once, by any
 * thread, inside a call of the library, when the tensor and everything that still has to be computed from it are gone. release may be
 * NULL for elements that stay for ever; it may call the library. strides are in elements and may be 0 or negative; NULL is row-major
 * order. data is the address of the first element. Elements that are not aligned to their size (at most 8), and booleans other than 0
 * and 1, are copied, and released before the function returns. If the function fails, release is not called.
 */
LUCID_API lucid_status lucid_tensor_borrow(lucid_dtype dtype, int32_t rank, const int64_t *shape, const int64_t *strides, const void *data,
                                           void (*release)(void *context), void *context, lucid_tensor *out);

typedef struct lucid_tensor_info {
	lucid_dtype dtype;
	int32_t rank;
	int64_t shape[LUCID_MAX_RANK];
	size_t size; /* bytes of its elements in row-major order */
	char device[16];
	int32_t device_index;
} lucid_tensor_info;

/* Describes a tensor without computing it. */
LUCID_API lucid_status lucid_tensor_describe(lucid_tensor tensor, lucid_tensor_info *out);

/* Computes tensors, in one go. */
LUCID_API lucid_status lucid_tensor_eval(const lucid_tensor *tensors, size_t count);

/* Computes a tensor and copies its elements, in row-major order, to memory of at least its size. */
LUCID_API lucid_status lucid_tensor_read(lucid_tensor tensor, void *data, size_t size);

/* Computes a tensor and says where its elements are, in row-major order. They may be read until the tensor is freed. */
LUCID_API lucid_status lucid_tensor_data(lucid_tensor tensor, const void **data, size_t *size);

/* The tensor on a device, "cpu" or "cuda". */
LUCID_API lucid_status lucid_tensor_to(lucid_tensor tensor, const char *device, int32_t index, lucid_tensor *out);

/* Another handle of a tensor, which is freed by itself. */
LUCID_API lucid_status lucid_tensor_retain(lucid_tensor tensor, lucid_tensor *out);

/* Lets a tensor go. */
LUCID_API void lucid_tensor_free(lucid_tensor tensor);

/* How many tensors were made and not freed. */
LUCID_API int64_t lucid_tensor_count(void);

/* ---- DLPack ---- */

/*
 * DLPack (https://dmlc.github.io/dlpack) is how libraries hand each other tensors without copies. The structs are those of
 * dlpack/dlpack.h; a program that does not have it defines LUCID_DLPACK before it includes this file.
 */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

#if defined(LUCID_DLPACK) && !defined(DLPACK_DLPACK_H_)
#define DLPACK_DLPACK_H_
typedef struct DLPackVersion {
	uint32_t major, minor;
} DLPackVersion;
typedef struct DLDevice {
	int32_t device_type; /* 1: CPU, 2: CUDA */
	int32_t device_id;
} DLDevice;
typedef struct DLDataType {
	uint8_t code; /* 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool */
	uint8_t bits;
	uint16_t lanes;
} DLDataType;
typedef struct DLTensor {
	void *data;
	DLDevice device;
	int32_t ndim;
	DLDataType dtype;
	int64_t *shape;
	int64_t *strides; /* in elements; NULL: row-major */
	uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
	DLTensor dl_tensor;
	void *manager_ctx;
	void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
typedef struct DLManagedTensorVersioned {
	DLPackVersion version;
	void *manager_ctx;
	void (*deleter)(struct DLManagedTensorVersioned *self);
	uint64_t flags; /* 1: read only, 2: a copy */
	DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif

/*
 * A tensor of the elements that another library manages, in host memory or on a GPU of CUDA, without a copy (but see
 * lucid_tensor_borrow). If the function succeeds it takes the managed tensor over and calls its deleter when the elements are not needed
 * any more; if it fails, the caller still owns it. On a GPU the work that writes the elements must be done (cudaDeviceSynchronize, or
 * the stream's), and they must be at an address aligned to 256 bytes.
 */
LUCID_API lucid_status lucid_tensor_from_dlpack(struct DLManagedTensor *managed, lucid_tensor *out);
LUCID_API lucid_status lucid_tensor_from_dlpack_versioned(struct DLManagedTensorVersioned *managed, lucid_tensor *out);

/*
 * Computes a tensor and hands its elements to another library, where they are, host or GPU, without a copy, in the layout they have.
 * Tensors are immutable: the elements may be read, not written. The work that computes them is done when the function returns. The
 * receiver calls the deleter of what it gets, after its own work; the tensor may be freed before.
 */
LUCID_API lucid_status lucid_tensor_to_dlpack(lucid_tensor tensor, struct DLManagedTensor **out);
LUCID_API lucid_status lucid_tensor_to_dlpack_versioned(lucid_tensor tensor, struct DLManagedTensorVersioned **out);

/* ---- ops by name ---- */

/* The tag of an attribute says which member of its value holds, and whether count does. */
enum {
	LUCID_ATTR_BOOL = 1,   /* i: 0 or 1 */
	LUCID_ATTR_INT = 2,    /* i */
	LUCID_ATTR_FLOAT = 3,  /* f */
	LUCID_ATTR_STRING = 4, /* s, ended by a zero */
	LUCID_ATTR_DTYPE = 5,  /* i: a lucid_dtype */
	LUCID_ATTR_INTS = 6,   /* ints, count of them */
	LUCID_ATTR_FLOATS = 7  /* floats, count of them */
};

/* An attribute of an op: PyTorch's keyword, and its value. */
typedef struct lucid_attr {
	const char *name;
	int32_t tag;
	int32_t reserved; /* 0 */
	union {
		int64_t i;
		double f;
		const char *s;
		const int64_t *ints;
		const double *floats;
	} value;
	size_t count;
} lucid_attr;

/* The number of an op. */
LUCID_API lucid_status lucid_op_find(const char *name, lucid_op *out);

/*
 * Calls an op: its tensors in order, 0 for one that is left out, everything else as attributes. *count is how many results outs has room
 * for, and afterwards how many there are. What is passed is not used after the call.
 */
LUCID_API lucid_status lucid_op_call(lucid_op op, const lucid_tensor *inputs, size_t num_inputs, const lucid_attr *attrs, size_t num_attrs,
                                     lucid_tensor *outs, size_t *count);

/* ---- exported functions ---- */

/* Reads what lucid.Export wrote: a file, or its content, which is not used after the call. Weights go to the default device. */
LUCID_API lucid_status lucid_function_load(const char *path, lucid_function *out);
LUCID_API lucid_status lucid_function_load_bytes(const void *data, size_t size, lucid_function *out);

/* The functions of one name, of a file that holds several. It shares their weights. */
LUCID_API lucid_status lucid_function_named(lucid_function function, const char *name, lucid_function *out);

/* How many signatures a function has. */
LUCID_API lucid_status lucid_function_signatures(lucid_function function, size_t *out);

/* How many inputs and outputs a signature has. */
LUCID_API lucid_status lucid_function_arity(lucid_function function, size_t signature, size_t *inputs, size_t *outputs);

/* Describes an input, or an output if output is not 0, of a signature. A size of -1 is open; size is 0 then. */
LUCID_API lucid_status lucid_function_describe(lucid_function function, size_t signature, int32_t output, size_t index,
                                               lucid_tensor_info *out);

/* Runs the signature that fits the inputs. *count is how many results outs has room for, and afterwards how many there are. */
LUCID_API lucid_status lucid_function_call(lucid_function function, const lucid_tensor *inputs, size_t num_inputs, lucid_tensor *outs,
                                           size_t *count);

/* A value in the program's memory, in row-major order. */
typedef struct lucid_buffer {
	void *data;
	size_t size; /* bytes at data */
	lucid_dtype dtype;
	int32_t rank;
	int64_t shape[LUCID_MAX_RANK];
} lucid_buffer;

/*
 * Runs the signature that fits the inputs on memory of the program. Inputs are not copied, and not used after the call. Of outputs, data
 * and size say where there is room; the function writes the results there and sets size, dtype, rank and shape. If a result
 * is larger than its room, nothing is written, these are set all the same, and the status is LUCID_VALUE.
 */
LUCID_API lucid_status lucid_function_run(lucid_function function, const lucid_buffer *inputs, size_t num_inputs, lucid_buffer *outputs,
                                          size_t *count);

/* Lets a function go. Calls that run end as they would have. */
LUCID_API void lucid_function_free(lucid_function function);

/* ---- devices ---- */

typedef struct lucid_device {
	char type[16]; /* "cpu", "cuda" */
	int32_t index;
} lucid_device;

/* The devices of this machine. *count is how many outs has room for, and afterwards how many there are. */
LUCID_API lucid_status lucid_devices(lucid_device *outs, size_t *count);

/* Where functions are loaded and run. Inputs of lucid_function_run are brought there; those of _call must be there. */
LUCID_API lucid_status lucid_set_default_device(const char *type, int32_t index);

/* How many threads may compute one op; 0: as many as there are cores. */
LUCID_API lucid_status lucid_set_num_threads(int32_t threads);

typedef struct lucid_memory {
	int64_t allocated; /* bytes in use */
	int64_t peak;      /* most bytes that were */
	int64_t cached;    /* bytes for reuse */
	int64_t limit;     /* 0: none */
	int64_t allocs;    /* buffers handed out */
	int64_t frees;     /* buffers given back */
} lucid_memory;

LUCID_API lucid_status lucid_memory_stats(const char *device, int32_t index, lucid_memory *out);
LUCID_API lucid_status lucid_memory_limit(const char *device, int32_t index, int64_t bytes);
LUCID_API lucid_status lucid_memory_clear(const char *device, int32_t index);

#ifdef __cplusplus
}
#endif

#endif
