/* A function on a GPU, for machines that have one. Arguments: a function, its input and its output as raw floats. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

int main(int argc, char **argv) {
	lucid_device list[16];
	lucid_function f;
	lucid_buffer in, out;
	lucid_tensor t, gpu, outs[1], host;
	lucid_tensor_info info;
	lucid_memory m;
	DLManagedTensor *d;
	size_t n = 16, in_size, out_size, i, count = 1;
	float *x, *y, *got;
	TRUE(argc == 4);
	OK(lucid_devices(list, &n));
	if (n < 2) {
		puts("no GPU\nok");
		return 0;
	}
	TRUE(strcmp(list[1].type, "cuda") == 0 && list[1].index == 0);
	OK(lucid_set_default_device("cuda", 0));
	OK(lucid_function_load(argv[1], &f));
	OK(lucid_function_describe(f, 0, 0, 0, &info));
	x = contents(argv[2], &in_size);
	y = contents(argv[3], &out_size);
	got = malloc(out_size);
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
	for (count = 1, i = 0; i < 100; i++)
		OK(lucid_function_run(f, &in, 1, &out, &count));
	for (i = 0; i < out_size / 4; i++)
		TRUE(got[i] - y[i] < 1e-3f && y[i] - got[i] < 1e-3f);
	OK(lucid_tensor_copy(LUCID_FLOAT32, 2, in.shape, x, in_size, &t));
	OK(lucid_tensor_to(t, "cuda", 0, &gpu));
	OK(lucid_tensor_describe(gpu, &info));
	TRUE(strcmp(info.device, "cuda") == 0);
	count = 1;
	OK(lucid_function_call(f, &gpu, 1, outs, &count));
	/* Out to another library and in again, on the GPU. */
	OK(lucid_tensor_to_dlpack(outs[0], &d));
	TRUE(d->dl_tensor.device.device_type == 2 && d->dl_tensor.device.device_id == 0 && d->dl_tensor.data != NULL);
	lucid_tensor_free(outs[0]);
	d->dl_tensor.byte_offset = 4;
	WANT(LUCID_VALUE, lucid_tensor_from_dlpack(d, &outs[0]));
	d->dl_tensor.byte_offset = 0;
	d->dl_tensor.device.device_id = 1000;
	WANT(LUCID_DEVICE, lucid_tensor_from_dlpack(d, &outs[0]));
	d->dl_tensor.device.device_id = 0;
	OK(lucid_tensor_from_dlpack(d, &outs[0]));
	OK(lucid_tensor_describe(outs[0], &info));
	TRUE(strcmp(info.device, "cuda") == 0);
	OK(lucid_tensor_to(outs[0], "cpu", 0, &host));
	OK(lucid_tensor_to_dlpack(host, &d));
	TRUE(((float *)d->dl_tensor.data)[0] - y[0] < 1e-3f);
	d->deleter(d);
	OK(lucid_memory_stats("cuda", 0, &m));
	TRUE(m.allocs > 0);
	lucid_tensor_free(t);
	lucid_tensor_free(gpu);
	lucid_tensor_free(outs[0]);
	lucid_tensor_free(host);
	lucid_function_free(f);
	TRUE(lucid_tensor_count() == 0);
	free(x);
	free(y);
	free(got);
	puts("ok");
	return 0;
}
