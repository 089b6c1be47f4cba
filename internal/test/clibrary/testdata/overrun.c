/* A caller that says its buffer is longer than it is: an ASan build of library and client finds it. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

int main(void) {
	float *data = malloc(4 * sizeof(float));
	int64_t shape[1] = {5};
	lucid_tensor t;
	TRUE(data != NULL);
	memset(data, 0, 4 * sizeof(float));
	OK(lucid_tensor_copy(LUCID_FLOAT32, 1, shape, data, 5 * sizeof(float), &t));
	lucid_tensor_free(t);
	free(data);
	puts("ok");
	return 0;
}
