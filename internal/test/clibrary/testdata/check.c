/* Every function of lucid.h, used rightly and wrongly. Arguments: a function in a file, its input and its output as raw floats. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

static int released;

static void release(void *context) { *(int *)context += 1; }

static int close_to(float a, float b) {
	float d = a - b, m = (b < 0 ? -b : b) + 1;
	return (d < 0 ? -d : d) <= 1e-5f * m;
}

static void library(void) {
	lucid_device list[8];
	lucid_memory m;
	size_t n = 8;
	TRUE(lucid_abi_version() >= LUCID_ABI_VERSION && strlen(lucid_version()) > 0);
	TRUE(lucid_last_status() == LUCID_OK && strcmp(lucid_last_error(), "") == 0);
	TRUE(lucid_dtype_size(LUCID_FLOAT32) == 4 && lucid_dtype_size(LUCID_COMPLEX128) == 16 && lucid_dtype_size(99) == 0);
	OK(lucid_devices(list, &n));
	TRUE(n >= 1 && strcmp(list[0].type, "cpu") == 0 && list[0].index == 0);
	OK(lucid_memory_stats("cpu", 0, &m));
	OK(lucid_memory_limit("cpu", 0, 1 << 30));
	OK(lucid_memory_stats("cpu", 0, &m));
	TRUE(m.limit == 1 << 30);
	OK(lucid_memory_limit("cpu", 0, 0));
	OK(lucid_memory_clear("cpu", 0));
	OK(lucid_set_num_threads(0));
	OK(lucid_set_default_device("cpu", 0));
	WANT(LUCID_DEVICE, lucid_set_default_device("abacus", 0));
	WANT(LUCID_DEVICE, lucid_memory_stats("abacus", 0, &m));
	WANT(LUCID_VALUE, lucid_memory_stats(NULL, 0, &m));
	WANT(LUCID_VALUE, lucid_devices(NULL, NULL));
}

static void tensors(void) {
	float data[6] = {1, 2, 3, 4, 5, 6}, back[6];
	int64_t shape[2] = {2, 3}, turned[2] = {3, 2}, strides[2] = {1, 3}, huge[2] = {(int64_t)1 << 40, (int64_t)1 << 40};
	lucid_tensor t, u, v;
	lucid_tensor_info info;
	const void *p;
	size_t n;
	OK(lucid_tensor_copy(LUCID_FLOAT32, 2, shape, data, sizeof data, &t));
	OK(lucid_tensor_describe(t, &info));
	TRUE(info.dtype == LUCID_FLOAT32 && info.rank == 2 && info.shape[1] == 3 && info.size == sizeof data);
	TRUE(strcmp(info.device, "cpu") == 0 && info.device_index == 0);
	OK(lucid_tensor_read(t, back, sizeof back));
	TRUE(memcmp(data, back, sizeof back) == 0);
	OK(lucid_tensor_data(t, &p, &n));
	TRUE(n == sizeof data && memcmp(p, data, n) == 0);
	OK(lucid_tensor_retain(t, &u));
	OK(lucid_tensor_to(t, "cpu", 0, &v));
	lucid_tensor_free(t);
	OK(lucid_tensor_eval(&u, 1));
	OK(lucid_tensor_read(v, back, sizeof back));
	WANT(LUCID_FREED, lucid_tensor_read(t, back, sizeof back));
	WANT(LUCID_FREED, lucid_tensor_describe(0, &info));
	WANT(LUCID_FREED, lucid_tensor_eval(&t, 1));
	WANT(LUCID_VALUE, lucid_tensor_read(u, back, sizeof back - 1));
	WANT(LUCID_VALUE, lucid_tensor_read(u, NULL, sizeof back));
	WANT(LUCID_VALUE, lucid_tensor_copy(LUCID_FLOAT32, 2, shape, data, 20, &t));
	WANT(LUCID_VALUE, lucid_tensor_copy(LUCID_FLOAT32, 2, NULL, data, 20, &t));
	WANT(LUCID_VALUE, lucid_tensor_copy(LUCID_FLOAT32, 2, shape, NULL, sizeof data, &t));
	WANT(LUCID_SHAPE, lucid_tensor_copy(LUCID_FLOAT32, 2, huge, data, sizeof data, &t));
	WANT(LUCID_SHAPE, lucid_tensor_copy(LUCID_FLOAT32, -1, shape, data, sizeof data, &t));
	WANT(LUCID_SHAPE, lucid_tensor_copy(LUCID_FLOAT32, 1 << 30, shape, data, sizeof data, &t));
	WANT(LUCID_DTYPE, lucid_tensor_copy(77, 2, shape, data, sizeof data, &t));
	WANT(LUCID_DTYPE, lucid_tensor_copy(-1, 2, shape, data, sizeof data, &t));
	lucid_tensor_free(u);
	lucid_tensor_free(v);
	lucid_tensor_free(v);
	lucid_tensor_free(0);
	lucid_tensor_free(~(lucid_tensor)0);

	released = 0;
	OK(lucid_tensor_borrow(LUCID_FLOAT32, 2, turned, strides, data, release, &released, &t));
	OK(lucid_tensor_read(t, back, sizeof back));
	TRUE(back[1] == 4 && back[2] == 2 && released == 0);
	lucid_tensor_free(t);
	TRUE(released == 1);
	WANT(LUCID_SHAPE, lucid_tensor_borrow(LUCID_FLOAT32, 2, huge, NULL, data, release, &released, &t));
	TRUE(released == 1);
	OK(lucid_tensor_borrow(LUCID_FLOAT32, 0, NULL, NULL, data + 5, NULL, NULL, &t));
	OK(lucid_tensor_read(t, back, 4));
	TRUE(back[0] == 6);
	lucid_tensor_free(t);
}

static lucid_attr attr(const char *name, int32_t tag) {
	lucid_attr a;
	memset(&a, 0, sizeof a);
	a.name = name;
	a.tag = tag;
	return a;
}

static void ops(void) {
	float data[6] = {1, 5, 3, 4, 2, 6}, back[16];
	int64_t shape[2] = {2, 3}, dims[2] = {0, 1}, at[6];
	lucid_tensor t, outs[2], in[2];
	lucid_attr a[3];
	lucid_tensor_info info;
	lucid_op add, sum, topk, cast, pad, neg;
	size_t n;
	OK(lucid_op_find("add", &add));
	OK(lucid_op_find("sum", &sum));
	OK(lucid_op_find("topk", &topk));
	OK(lucid_op_find("pad", &pad));
	OK(lucid_op_find("neg", &neg));
	WANT(LUCID_NOT_IMPLEMENTED, lucid_op_find("addition", &cast));
	WANT(LUCID_VALUE, lucid_op_find(NULL, &cast));
	OK(lucid_tensor_copy(LUCID_FLOAT32, 2, shape, data, sizeof data, &t));
	in[0] = in[1] = t;
	n = 2;
	OK(lucid_op_call(add, in, 2, NULL, 0, outs, &n));
	OK(lucid_tensor_read(outs[0], back, sizeof back));
	TRUE(n == 1 && back[1] == 10 && back[5] == 12);
	lucid_tensor_free(outs[0]);

	a[0] = attr("dim", LUCID_ATTR_INTS);
	a[0].value.ints = dims;
	a[0].count = 2;
	a[1] = attr("keepdim", LUCID_ATTR_BOOL);
	a[1].value.i = 1;
	a[2] = attr("dtype", LUCID_ATTR_DTYPE);
	a[2].value.i = LUCID_FLOAT64;
	n = 1;
	OK(lucid_op_call(sum, &t, 1, a, 3, outs, &n));
	OK(lucid_tensor_describe(outs[0], &info));
	TRUE(info.rank == 2 && info.shape[0] == 1 && info.dtype == LUCID_FLOAT64 && info.size == 8);
	OK(lucid_tensor_read(outs[0], back, sizeof back));
	{
		double d;
		memcpy(&d, back, 8);
		TRUE(d == 21);
	}
	lucid_tensor_free(outs[0]);

	a[0] = attr("k", LUCID_ATTR_INT);
	a[0].value.i = 2;
	n = 2;
	OK(lucid_op_call(topk, &t, 1, a, 1, outs, &n));
	OK(lucid_tensor_read(outs[1], at, sizeof at));
	TRUE(n == 2 && at[0] == 1 && at[2] == 2);
	lucid_tensor_free(outs[0]);
	lucid_tensor_free(outs[1]);
	n = 1;
	WANT(LUCID_VALUE, lucid_op_call(topk, &t, 1, a, 1, outs, &n));

	a[0] = attr("pad", LUCID_ATTR_INTS);
	a[0].value.ints = dims;
	a[0].count = 2;
	a[1] = attr("mode", LUCID_ATTR_STRING);
	a[1].value.s = "constant";
	a[2] = attr("value", LUCID_ATTR_FLOAT);
	a[2].value.f = 2.5;
	n = 1;
	OK(lucid_op_call(pad, &t, 1, a, 3, outs, &n));
	OK(lucid_tensor_read(outs[0], back, sizeof back));
	TRUE(back[3] == 2.5f && back[7] == 2.5f);
	lucid_tensor_free(outs[0]);

	n = 1;
	a[0] = attr("dim", 99);
	WANT(LUCID_VALUE, lucid_op_call(sum, &t, 1, a, 1, outs, &n));
	a[0] = attr(NULL, LUCID_ATTR_INT);
	n = 1;
	WANT(LUCID_VALUE, lucid_op_call(sum, &t, 1, a, 1, outs, &n));
	a[0] = attr("dimension", LUCID_ATTR_INT);
	n = 1;
	WANT(LUCID_VALUE, lucid_op_call(sum, &t, 1, a, 1, outs, &n));
	TRUE(strstr(lucid_last_error(), "dimension") != NULL && strstr(lucid_last_error(), "keepdim") != NULL);
	n = 1;
	WANT(LUCID_VALUE, lucid_op_call(-1, &t, 1, NULL, 0, outs, &n));
	WANT(LUCID_VALUE, lucid_op_call(neg, &t, 1, NULL, 0, outs, NULL));
	lucid_tensor_free(t);
}

static void functions(const char *path, const char *input, const char *output) {
	size_t in_size, out_size, file_size, n, signatures, inputs, outputs;
	float *x = contents(input, &in_size), *y = contents(output, &out_size), *got = malloc(out_size);
	void *file = contents(path, &file_size);
	lucid_function f[2];
	lucid_buffer in, out;
	lucid_tensor_info info;
	int k;
	OK(lucid_function_load(path, &f[0]));
	OK(lucid_function_load_bytes(file, file_size, &f[1]));
	memset(file, 0, file_size);
	free(file);
	for (k = 0; k < 2; k++) {
		lucid_tensor t, u;
		size_t i;
		OK(lucid_function_signatures(f[k], &signatures));
		OK(lucid_function_arity(f[k], 0, &inputs, &outputs));
		OK(lucid_function_describe(f[k], 0, 0, 0, &info));
		TRUE(signatures == 1 && inputs == 1 && outputs == 1 && info.rank == 2 && info.shape[0] == -1 && info.dtype == LUCID_FLOAT32);
		memset(&in, 0, sizeof in);
		memset(&out, 0, sizeof out);
		in.data = x;
		in.size = in_size;
		in.dtype = LUCID_FLOAT32;
		in.rank = 2;
		in.shape[1] = info.shape[1];
		in.shape[0] = (int64_t)(in_size / 4) / info.shape[1];
		out.data = got;
		out.size = out_size;
		n = 1;
		OK(lucid_function_run(f[k], &in, 1, &out, &n));
		TRUE(n == 1 && out.size == out_size && out.rank == 2 && out.shape[0] == in.shape[0] && out.dtype == LUCID_FLOAT32);
		for (i = 0; i < out_size / 4; i++)
			TRUE(close_to(got[i], y[i]));
		out.size = out_size - 1;
		WANT(LUCID_VALUE, lucid_function_run(f[k], &in, 1, &out, &n));
		TRUE(out.size == out_size);
		in.size--;
		n = 1;
		WANT(LUCID_VALUE, lucid_function_run(f[k], &in, 1, &out, &n));
		n = 1;
		WANT(LUCID_VALUE, lucid_function_run(f[k], NULL, 0, &out, &n));
		released = 0;
		OK(lucid_tensor_borrow(LUCID_FLOAT32, 2, in.shape, NULL, x, release, &released, &t));
		n = 1;
		OK(lucid_function_call(f[k], &t, 1, &u, &n));
		lucid_tensor_free(t);
		OK(lucid_tensor_read(u, got, out_size));
		TRUE(close_to(got[0], y[0]));
		lucid_tensor_free(u);
		TRUE(released == 1);
		WANT(LUCID_VALUE, lucid_function_named(f[k], "other", &f[k]));
		OK(lucid_function_load(path, &f[k]));
	}
	lucid_function_free(f[0]);
	lucid_function_free(f[0]);
	WANT(LUCID_FREED, lucid_function_signatures(f[0], &n));
	WANT(LUCID_INDEX, lucid_function_arity(f[1], 3, NULL, NULL));
	WANT(LUCID_FORMAT, lucid_function_load_bytes("nonsense", 8, &f[0]));
	TRUE(lucid_function_load("/no/such/file.lucid", &f[0]) != LUCID_OK && strstr(lucid_last_error(), "no/such") != NULL);
	lucid_function_free(f[1]);
	free(x);
	free(y);
	free(got);
}

static void deleter(DLManagedTensor *m) { *(int *)m->manager_ctx += 1; }

static void deleter_versioned(DLManagedTensorVersioned *m) { *(int *)m->manager_ctx += 1; }

static void dlpack(void) {
	float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, back[6];
	int64_t shape[2] = {3, 2}, strides[2] = {-1, 4};
	DLManagedTensor m, *out;
	DLManagedTensorVersioned v, *vout;
	lucid_tensor t;
	int deleted = 0;
	memset(&m, 0, sizeof m);
	m.dl_tensor.data = data;
	m.dl_tensor.byte_offset = 5 * sizeof(float);
	m.dl_tensor.device.device_type = 1;
	m.dl_tensor.ndim = 2;
	m.dl_tensor.dtype.code = 2;
	m.dl_tensor.dtype.bits = 32;
	m.dl_tensor.dtype.lanes = 1;
	m.dl_tensor.shape = shape;
	m.dl_tensor.strides = strides;
	m.manager_ctx = &deleted;
	m.deleter = deleter;
	OK(lucid_tensor_from_dlpack(&m, &t));
	OK(lucid_tensor_read(t, back, sizeof back));
	TRUE(back[0] == 5 && back[1] == 9 && back[2] == 4 && back[5] == 7);
	OK(lucid_tensor_to_dlpack(t, &out));
	lucid_tensor_free(t);
	TRUE(deleted == 0);
	TRUE(out->dl_tensor.data == data + 5 && out->dl_tensor.strides[0] == -1 && out->dl_tensor.shape[0] == 3); /* not copied */
	TRUE(out->dl_tensor.dtype.code == 2 && out->dl_tensor.dtype.bits == 32 && out->dl_tensor.device.device_type == 1);
	out->deleter(out);
	TRUE(deleted == 1);

	memset(&v, 0, sizeof v);
	v.version.major = 1;
	v.dl_tensor = m.dl_tensor;
	v.manager_ctx = &deleted;
	v.deleter = deleter_versioned;
	OK(lucid_tensor_from_dlpack_versioned(&v, &t));
	OK(lucid_tensor_to_dlpack_versioned(t, &vout));
	TRUE(vout->version.major == 1 && vout->flags == 1 && vout->dl_tensor.data == data + 5);
	vout->deleter(vout);
	lucid_tensor_free(t);
	TRUE(deleted == 2);

	m.dl_tensor.device.device_type = 2;
	WANT(LUCID_DEVICE, lucid_tensor_from_dlpack(&m, &t));
	m.dl_tensor.device.device_type = 1;
	m.dl_tensor.dtype.bits = 8;
	WANT(LUCID_DTYPE, lucid_tensor_from_dlpack(&m, &t));
	v.version.major = 9;
	WANT(LUCID_VERSION, lucid_tensor_from_dlpack_versioned(&v, &t));
	WANT(LUCID_VALUE, lucid_tensor_from_dlpack(NULL, &t));
	WANT(LUCID_FREED, lucid_tensor_to_dlpack(t, &out));
	TRUE(deleted == 2);
}

int main(int argc, char **argv) {
	TRUE(argc == 4);
	library();
	tensors();
	ops();
	functions(argv[1], argv[2], argv[3]);
	dlpack();
	TRUE(lucid_tensor_count() == 0);
	puts("ok");
	return 0;
}
