//go:build liblucid

/* What the library knows of the process and its threads: whether it is a fork, and the last error of each thread. */
#define LUCID_BUILD
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#ifdef _WIN32
#define THREAD_LOCAL __declspec(thread)
int lucid_is_fork(void) { return 0; }
#else
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define THREAD_LOCAL __thread

/* alive is 1 in the process that loaded the library. A fork runs the handler; where the system can, the page is also wiped in the child,
 * whichever way it was made. */
static int here = 1;
static volatile int *alive = &here;

static void in_child(void) { here = 0; }

__attribute__((constructor)) static void lucid_load(void) {
	pthread_atfork(NULL, NULL, in_child);
#ifdef MADV_WIPEONFORK
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED && madvise(p, page, MADV_WIPEONFORK) == 0) {
		*p = 1;
		alive = p;
	}
#endif
}

int lucid_is_fork(void) { return !here || !*alive; }
#endif

enum { ERROR_SIZE = 2048 };

static THREAD_LOCAL char error_text[ERROR_SIZE];
static THREAD_LOCAL lucid_status error_status;

void lucid_set_error(lucid_status status, const char *text, size_t size) {
	if (size >= ERROR_SIZE)
		size = ERROR_SIZE - 1;
	memcpy(error_text, text, size);
	error_text[size] = 0;
	error_status = status;
}

lucid_status lucid_forked(void) {
	static const char text[] = "lucid: the process is a fork of the one that loaded the library; load it in the child, or use exec";
	lucid_set_error(LUCID_FORKED, text, sizeof text - 1);
	return LUCID_FORKED;
}

const char *lucid_last_error(void) { return error_text; }

lucid_status lucid_last_status(void) { return error_status; }

void lucid_call_release(void *release, void *context) {
	void (*f)(void *);
	memcpy(&f, &release, sizeof f);
	f(context);
}
