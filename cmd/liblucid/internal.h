/* Shared by the C and the Go files of the library; not for programs. */
#ifndef LUCID_INTERNAL_H
#define LUCID_INTERNAL_H

#define LUCID_VERSION_TEXT "0.0.0"

#include "lucid.h"

int lucid_is_fork(void);
lucid_status lucid_forked(void);
void lucid_set_error(lucid_status status, const char *text, size_t size);
void lucid_call_release(void *release, void *context);

/* A tensor as DLPack and lucid_tensor_borrow see it. */
typedef struct lucid_elements {
	lucid_dtype dtype;
	int32_t rank;
	int64_t shape[LUCID_MAX_RANK];
	int64_t strides[LUCID_MAX_RANK];
	void *data;
	int32_t device_type, device_id; /* DLPack's */
	lucid_tensor handle;
} lucid_elements;

#endif
