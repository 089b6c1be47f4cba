//go:build liblucid

/* DLPack on top of lucid_tensor_borrow and the elements of a tensor. */
#define LUCID_BUILD
#define LUCID_DLPACK
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#include "_cgo_export.h"

enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6 };

static const struct {
	uint8_t code, bits;
} codes[] = {{0, 0},        {DL_BOOL, 8},    {DL_UINT, 8},   {DL_UINT, 16},  {DL_UINT, 32},    {DL_UINT, 64},
             {DL_INT, 8},    {DL_INT, 16},    {DL_INT, 32},   {DL_INT, 64},   {DL_FLOAT, 16},   {DL_BFLOAT, 16},
             {DL_FLOAT, 32}, {DL_FLOAT, 64}, {DL_COMPLEX, 64}, {DL_COMPLEX, 128}};

static lucid_status fail(lucid_status status, const char *text) {
	lucid_set_error(status, text, strlen(text));
	return status;
}

/* from_dl makes a tensor of elements that release gives back. */
static lucid_status from_dl(const DLTensor *t, void (*release)(void *), void *context, lucid_tensor *out) {
	lucid_dtype dtype = 0;
	size_t i;
	/* 1 is memory of the host, 2 of a GPU by CUDA, 3 the host's memory that a GPU can read. */
	if (t->device.device_type < 1 || t->device.device_type > 3)
		return fail(LUCID_DEVICE, "lucid: from_dlpack: the tensor is neither in host memory nor on a GPU of CUDA; bring it there first");
	if (t->dtype.lanes == 1)
		for (i = 1; i < sizeof codes / sizeof codes[0]; i++)
			if (codes[i].code == t->dtype.code && codes[i].bits == t->dtype.bits)
				dtype = (lucid_dtype)i;
	if (dtype == 0)
		return fail(LUCID_DTYPE, "lucid: from_dlpack: the tensor has a dtype that the library does not have");
	if (t->device.device_type == 2)
		return lucidgo_tensor_borrow_cuda(dtype, t->ndim, t->shape, t->strides,
		                                  t->data == NULL ? 0 : (uintptr_t)t->data + (uintptr_t)t->byte_offset, t->device.device_id,
		                                  (uintptr_t)release, (uintptr_t)context, out);
	return lucidgo_tensor_borrow(dtype, t->ndim, t->shape, t->strides, t->data == NULL ? NULL : (char *)t->data + t->byte_offset,
	                             (uintptr_t)release, (uintptr_t)context, out);
}

static void drop(void *context) {
	DLManagedTensor *m = context;
	if (m->deleter != NULL)
		m->deleter(m);
}

static void drop_versioned(void *context) {
	DLManagedTensorVersioned *m = context;
	if (m->deleter != NULL)
		m->deleter(m);
}

lucid_status lucid_tensor_from_dlpack(DLManagedTensor *managed, lucid_tensor *out) {
	if (lucid_is_fork())
		return lucid_forked();
	if (managed == NULL)
		return fail(LUCID_VALUE, "lucid: from_dlpack: the managed tensor is NULL");
	return from_dl(&managed->dl_tensor, drop, managed, out);
}

lucid_status lucid_tensor_from_dlpack_versioned(DLManagedTensorVersioned *managed, lucid_tensor *out) {
	if (lucid_is_fork())
		return lucid_forked();
	if (managed == NULL)
		return fail(LUCID_VALUE, "lucid: from_dlpack: the managed tensor is NULL");
	if (managed->version.major != 1)
		return fail(LUCID_VERSION, "lucid: from_dlpack: the managed tensor is of another version of DLPack; this library knows 1");
	return from_dl(&managed->dl_tensor, drop_versioned, managed, out);
}

/* exported is what a receiver gets: either form, with the elements. */
typedef struct exported {
	union {
		DLManagedTensor plain;
		DLManagedTensorVersioned versioned;
	} as;
	lucid_elements e;
} exported;

static void end(exported *x) {
	if (!lucid_is_fork())
		lucidgo_tensor_free(x->e.handle);
	free(x);
}

static void end_plain(DLManagedTensor *m) { end(m->manager_ctx); }

static void end_versioned(DLManagedTensorVersioned *m) { end(m->manager_ctx); }

static lucid_status to_dl(lucid_tensor tensor, exported **out) {
	lucid_status status;
	exported *x;
	if (lucid_is_fork())
		return lucid_forked();
	if ((x = calloc(1, sizeof *x)) == NULL)
		return fail(LUCID_OUT_OF_MEMORY, "lucid: to_dlpack: no memory");
	if ((status = lucidgo_tensor_lend(tensor, &x->e)) != LUCID_OK) {
		free(x);
		return status;
	}
	*out = x;
	return LUCID_OK;
}

static void fill(DLTensor *t, exported *x) {
	t->data = x->e.data;
	t->device.device_type = x->e.device_type;
	t->device.device_id = x->e.device_id;
	t->ndim = x->e.rank;
	t->dtype.code = codes[x->e.dtype].code;
	t->dtype.bits = codes[x->e.dtype].bits;
	t->dtype.lanes = 1;
	t->shape = x->e.shape;
	t->strides = x->e.strides;
	t->byte_offset = 0;
}

lucid_status lucid_tensor_to_dlpack(lucid_tensor tensor, DLManagedTensor **out) {
	exported *x;
	lucid_status status = to_dl(tensor, &x);
	if (status != LUCID_OK)
		return status;
	fill(&x->as.plain.dl_tensor, x);
	x->as.plain.manager_ctx = x;
	x->as.plain.deleter = end_plain;
	*out = &x->as.plain;
	return LUCID_OK;
}

lucid_status lucid_tensor_to_dlpack_versioned(lucid_tensor tensor, DLManagedTensorVersioned **out) {
	exported *x;
	lucid_status status = to_dl(tensor, &x);
	if (status != LUCID_OK)
		return status;
	fill(&x->as.versioned.dl_tensor, x);
	x->as.versioned.version.major = 1;
	x->as.versioned.version.minor = 0;
	x->as.versioned.manager_ctx = x;
	x->as.versioned.deleter = end_versioned;
	x->as.versioned.flags = 1; /* read only */
	*out = &x->as.versioned;
	return LUCID_OK;
}
