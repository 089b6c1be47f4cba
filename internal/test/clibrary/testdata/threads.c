/* Eight threads, a number of calls each: ops on shared tensors, functions on memory of their own, errors of their own. The last argument
 * is the number of calls. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "check.h"

enum { THREADS = 8, ROWS = 3 };

static lucid_function function;
static lucid_tensor shared;
static lucid_op add, matmul;
static long calls;
static float *input, *output;
static int64_t columns, results;

static void *work(void *context) {
	int id = *(int *)context;
	long i;
	char text[64];
	float got[4], *y = malloc(sizeof(float) * (size_t)(ROWS * results));
	for (i = 0; i < calls; i++) {
		lucid_tensor in[2], out;
		size_t n = 1, k;
		in[0] = in[1] = shared;
		if (i % 100 == 0) {
			lucid_buffer a, b;
			memset(&a, 0, sizeof a);
			memset(&b, 0, sizeof b);
			a.data = input;
			a.size = sizeof(float) * (size_t)(ROWS * columns);
			a.dtype = LUCID_FLOAT32;
			a.rank = 2;
			a.shape[0] = ROWS;
			a.shape[1] = columns;
			b.data = y;
			b.size = sizeof(float) * (size_t)(ROWS * results);
			OK(lucid_function_run(function, &a, 1, &b, &n));
			for (k = 0; k < (size_t)(ROWS * results); k++)
				TRUE(y[k] - output[k] < 1e-4f && output[k] - y[k] < 1e-4f);
			continue;
		}
		if (i % 1000 == 1) { /* the error of this thread, not of another one */
			snprintf(text, sizeof text, "thread_%d_call_%ld", id, i);
			WANT(LUCID_NOT_IMPLEMENTED, lucid_op_find(text, &(lucid_op){0}));
			TRUE(strstr(lucid_last_error(), text) != NULL);
			continue;
		}
		OK(lucid_op_call(i % 2 ? add : matmul, in, 2, NULL, 0, &out, &n));
		if (i % 10 == 3) {
			OK(lucid_tensor_read(out, got, sizeof got));
			TRUE(got[1] == 4 && got[3] == 8); /* of the sum */
		}
		lucid_tensor_free(out);
	}
	free(y);
	return NULL;
}

int main(int argc, char **argv) {
	float data[4] = {1, 2, 3, 4};
	int64_t shape[2] = {2, 2};
	pthread_t threads[THREADS];
	int ids[THREADS], i;
	lucid_tensor_info info;
	size_t size;
	double start;
	TRUE(argc == 5);
	calls = atol(argv[4]);
	OK(lucid_function_load(argv[1], &function));
	input = contents(argv[2], &size);
	output = contents(argv[3], &size);
	OK(lucid_function_describe(function, 0, 0, 0, &info));
	columns = info.shape[1];
	OK(lucid_function_describe(function, 0, 1, 0, &info));
	results = info.shape[1];
	OK(lucid_op_find("add", &add));
	OK(lucid_op_find("matmul", &matmul));
	OK(lucid_tensor_copy(LUCID_FLOAT32, 2, shape, data, sizeof data, &shared));
	start = seconds();
	for (i = 0; i < THREADS; i++) {
		ids[i] = i;
		TRUE(pthread_create(&threads[i], NULL, work, &ids[i]) == 0);
	}
	for (i = 0; i < THREADS; i++)
		TRUE(pthread_join(threads[i], NULL) == 0);
	printf("%d threads, %ld calls each: %.2f s\n", THREADS, calls, seconds() - start);
	lucid_tensor_free(shared);
	lucid_function_free(function);
	TRUE(lucid_tensor_count() == 0);
	free(input);
	free(output);
	puts("ok");
	return 0;
}
