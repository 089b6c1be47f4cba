/* How long a call takes: the shortest of several rounds, in nanoseconds. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

enum { ROUNDS = 200, CALLS = 1000 }; /* short rounds: some are not interrupted */

static double least(double a, double b) { return a < b ? a : b; }

int main(void) {
	float data[4] = {1, 2, 3, 4}, got[4];
	int64_t shape[1] = {4};
	lucid_tensor in[2], out;
	lucid_op add, sum;
	lucid_attr dim;
	double empty = 1, record = 1, attribute = 1, whole = 1;
	size_t n;
	int r, i;
	OK(lucid_tensor_copy(LUCID_FLOAT32, 1, shape, data, sizeof data, &in[0]));
	in[1] = in[0];
	OK(lucid_op_find("add", &add));
	OK(lucid_op_find("sum", &sum));
	memset(&dim, 0, sizeof dim);
	dim.name = "dim";
	dim.tag = LUCID_ATTR_INT;
	for (r = 0; r < ROUNDS; r++) {
		double t = seconds();
		for (i = 0; i < CALLS; i++)
			lucid_tensor_count();
		empty = least(empty, (seconds() - t) / CALLS);
		t = seconds();
		for (i = 0; i < CALLS; i++) {
			n = 1;
			OK(lucid_op_call(add, in, 2, NULL, 0, &out, &n));
			lucid_tensor_free(out);
		}
		record = least(record, (seconds() - t) / CALLS);
		t = seconds();
		for (i = 0; i < CALLS; i++) {
			n = 1;
			OK(lucid_op_call(sum, in, 1, &dim, 1, &out, &n));
			lucid_tensor_free(out);
		}
		attribute = least(attribute, (seconds() - t) / CALLS);
		t = seconds();
		for (i = 0; i < CALLS / 10; i++) {
			n = 1;
			OK(lucid_op_call(add, in, 2, NULL, 0, &out, &n));
			OK(lucid_tensor_read(out, got, sizeof got));
			lucid_tensor_free(out);
		}
		whole = least(whole, (seconds() - t) / (CALLS / 10.0));
	}
	printf("call %.0f record %.0f attribute %.0f whole %.0f\n", 1e9 * empty, 1e9 * record, 1e9 * attribute, 1e9 * whole);
	return 0;
}
