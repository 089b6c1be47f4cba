/*
 * Runs an exported function on ones and prints its first results.
 *
 *   cc run.c $(pkg-config --cflags --libs lucid) -o run && ./run model.lucid
 */
#include <stdio.h>
#include <stdlib.h>

#include "lucid.h"

static void check(lucid_status status) {
	if (status != LUCID_OK) {
		fprintf(stderr, "%s\n", lucid_last_error());
		exit(1);
	}
}

/* ones is a value of ones for an input; open sizes become 2. */
static lucid_buffer ones(const lucid_tensor_info *info) {
	lucid_buffer b = {0};
	size_t i, n = 1;
	float *x;
	b.dtype = info->dtype;
	b.rank = info->rank;
	for (i = 0; i < (size_t)info->rank; i++) {
		b.shape[i] = info->shape[i] < 0 ? 2 : info->shape[i];
		n *= (size_t)b.shape[i];
	}
	if (b.dtype != LUCID_FLOAT32) {
		fprintf(stderr, "this example knows float32 only\n");
		exit(1);
	}
	b.size = n * sizeof *x;
	x = malloc(b.size);
	for (i = 0; i < n; i++)
		x[i] = 1;
	b.data = x;
	return b;
}

int main(int argc, char **argv) {
	lucid_function f;
	lucid_tensor_info info;
	lucid_buffer in[8], out[8] = {{0}};
	size_t i, k, inputs, outputs, count;
	if (argc != 2) {
		fprintf(stderr, "usage: run model.lucid\n");
		return 2;
	}
	check(lucid_function_load(argv[1], &f));
	check(lucid_function_arity(f, 0, &inputs, &outputs));
	if (inputs > 8 || outputs > 8)
		return 1;
	for (i = 0; i < inputs; i++) {
		check(lucid_function_describe(f, 0, 0, i, &info));
		in[i] = ones(&info);
	}
	/* The first call has no room for the results: it says how large they are. */
	count = outputs;
	if (lucid_function_run(f, in, inputs, out, &count) != LUCID_VALUE)
		check(lucid_last_status());
	for (i = 0; i < count; i++)
		out[i].data = malloc(out[i].size);
	check(lucid_function_run(f, in, inputs, out, &count));
	for (i = 0; i < count; i++) {
		printf("result %zu:", i);
		for (k = 0; k < out[i].size / sizeof(float) && k < 8 && out[i].dtype == LUCID_FLOAT32; k++)
			printf(" %g", ((float *)out[i].data)[k]);
		printf("\n");
		free(out[i].data);
	}
	for (i = 0; i < inputs; i++)
		free(in[i].data);
	lucid_function_free(f);
	return 0;
}
