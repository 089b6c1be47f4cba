// The header as a C++ program sees it.
#define LUCID_DLPACK
#include <cstdio>
#include <cstring>

#include "lucid.h"
#include "lucid.h"

int main() {
	lucid_buffer buffer = {};
	lucid_op op = 0;
	if (lucid_op_find("add", &op) != LUCID_OK || op == 0 || buffer.data != nullptr || lucid_abi_version() < LUCID_ABI_VERSION) {
		std::printf("%s\n", lucid_last_error());
		return 1;
	}
	std::puts("ok");
	return 0;
}
