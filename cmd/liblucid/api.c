//go:build liblucid

/* The functions of lucid.h: they refuse a fork, and call Go. */
#define LUCID_BUILD
#include "internal.h"

#include "_cgo_export.h"

#define ENTER()                 \
	do {                        \
		if (lucid_is_fork())    \
			return lucid_forked(); \
	} while (0)

const char *lucid_version(void) { return LUCID_VERSION_TEXT; }

int32_t lucid_abi_version(void) { return LUCID_ABI_VERSION; }

size_t lucid_dtype_size(lucid_dtype dtype) {
	static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
	return dtype > 0 && dtype < (lucid_dtype)sizeof sizes ? sizes[dtype] : 0;
}

lucid_status lucid_tensor_copy(lucid_dtype dtype, int32_t rank, const int64_t *shape, const void *data, size_t size, lucid_tensor *out) {
	ENTER();
	return lucidgo_tensor_copy(dtype, rank, (int64_t *)shape, (void *)data, size, out);
}

lucid_status lucid_tensor_borrow(lucid_dtype dtype, int32_t rank, const int64_t *shape, const int64_t *strides, const void *data,
                                 void (*release)(void *context), void *context, lucid_tensor *out) {
	ENTER();
	return lucidgo_tensor_borrow(dtype, rank, (int64_t *)shape, (int64_t *)strides, (void *)data, (uintptr_t)release, (uintptr_t)context,
	                             out);
}

lucid_status lucid_tensor_describe(lucid_tensor tensor, lucid_tensor_info *out) {
	ENTER();
	return lucidgo_tensor_describe(tensor, out);
}

lucid_status lucid_tensor_eval(const lucid_tensor *tensors, size_t count) {
	ENTER();
	return lucidgo_tensor_eval((lucid_tensor *)tensors, count);
}

lucid_status lucid_tensor_read(lucid_tensor tensor, void *data, size_t size) {
	ENTER();
	return lucidgo_tensor_read(tensor, data, size);
}

lucid_status lucid_tensor_data(lucid_tensor tensor, const void **data, size_t *size) {
	ENTER();
	return lucidgo_tensor_data(tensor, (uintptr_t *)data, size);
}

lucid_status lucid_tensor_to(lucid_tensor tensor, const char *device, int32_t index, lucid_tensor *out) {
	ENTER();
	return lucidgo_tensor_to(tensor, (char *)device, index, out);
}

lucid_status lucid_tensor_retain(lucid_tensor tensor, lucid_tensor *out) {
	ENTER();
	return lucidgo_tensor_retain(tensor, out);
}

void lucid_tensor_free(lucid_tensor tensor) {
	if (tensor != 0 && !lucid_is_fork())
		lucidgo_tensor_free(tensor);
}

int64_t lucid_tensor_count(void) { return lucid_is_fork() ? 0 : lucidgo_tensor_count(); }

lucid_status lucid_op_find(const char *name, lucid_op *out) {
	ENTER();
	return lucidgo_op_find((char *)name, out);
}

lucid_status lucid_op_call(lucid_op op, const lucid_tensor *inputs, size_t num_inputs, const lucid_attr *attrs, size_t num_attrs,
                           lucid_tensor *outs, size_t *count) {
	ENTER();
	return lucidgo_op_call(op, (lucid_tensor *)inputs, num_inputs, (lucid_attr *)attrs, num_attrs, outs, count);
}

lucid_status lucid_function_load(const char *path, lucid_function *out) {
	ENTER();
	return lucidgo_function_load((char *)path, out);
}

lucid_status lucid_function_load_bytes(const void *data, size_t size, lucid_function *out) {
	ENTER();
	return lucidgo_function_load_bytes((void *)data, size, out);
}

lucid_status lucid_function_named(lucid_function function, const char *name, lucid_function *out) {
	ENTER();
	return lucidgo_function_named(function, (char *)name, out);
}

lucid_status lucid_function_signatures(lucid_function function, size_t *out) {
	ENTER();
	return lucidgo_function_signatures(function, out);
}

lucid_status lucid_function_arity(lucid_function function, size_t signature, size_t *inputs, size_t *outputs) {
	ENTER();
	return lucidgo_function_arity(function, signature, inputs, outputs);
}

lucid_status lucid_function_describe(lucid_function function, size_t signature, int32_t output, size_t index, lucid_tensor_info *out) {
	ENTER();
	return lucidgo_function_describe(function, signature, output, index, out);
}

lucid_status lucid_function_call(lucid_function function, const lucid_tensor *inputs, size_t num_inputs, lucid_tensor *outs,
                                 size_t *count) {
	ENTER();
	return lucidgo_function_call(function, (lucid_tensor *)inputs, num_inputs, outs, count);
}

lucid_status lucid_function_run(lucid_function function, const lucid_buffer *inputs, size_t num_inputs, lucid_buffer *outputs,
                                size_t *count) {
	ENTER();
	return lucidgo_function_run(function, (lucid_buffer *)inputs, num_inputs, outputs, count);
}

void lucid_function_free(lucid_function function) {
	if (function != 0 && !lucid_is_fork())
		lucidgo_function_free(function);
}

lucid_status lucid_devices(lucid_device *outs, size_t *count) {
	ENTER();
	return lucidgo_devices(outs, count);
}

lucid_status lucid_set_default_device(const char *type, int32_t index) {
	ENTER();
	return lucidgo_set_default_device((char *)type, index);
}

lucid_status lucid_set_num_threads(int32_t threads) {
	ENTER();
	return lucidgo_set_num_threads(threads);
}

lucid_status lucid_memory_stats(const char *device, int32_t index, lucid_memory *out) {
	ENTER();
	return lucidgo_memory_stats((char *)device, index, out);
}

lucid_status lucid_memory_limit(const char *device, int32_t index, int64_t bytes) {
	ENTER();
	return lucidgo_memory_limit((char *)device, index, bytes);
}

lucid_status lucid_memory_clear(const char *device, int32_t index) {
	ENTER();
	return lucidgo_memory_clear((char *)device, index);
}
