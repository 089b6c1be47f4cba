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

/* A thread's error is allocated at its first failure, and freed when the thread ends: memory of threads is scarce where a library is loaded
 * by dlopen, and Go's part needs it to be of the scarce kind. */
enum { ERROR_SIZE = 4096 };

static THREAD_LOCAL char *error_text;
static THREAD_LOCAL lucid_status error_status;

#ifdef _WIN32
static void on_exit_free(void *p) { (void)p; }
#else
static pthread_key_t error_key;
static pthread_once_t error_once = PTHREAD_ONCE_INIT;

static void end_of_thread(void *p) {
	free(p);
	error_text = NULL; /* another handler of the thread's end may fail after this one */
}

static void make_key(void) { pthread_key_create(&error_key, end_of_thread); }

static void on_exit_free(void *p) {
	pthread_once(&error_once, make_key);
	pthread_setspecific(error_key, p);
}
#endif

void lucid_set_error(lucid_status status, const char *text, size_t size) {
	error_status = status;
	if (error_text == NULL) {
		error_text = malloc(ERROR_SIZE);
		if (error_text == NULL)
			return;
		on_exit_free(error_text);
	}
	if (size >= ERROR_SIZE)
		size = ERROR_SIZE - 1;
	memcpy(error_text, text, size);
	error_text[size] = 0;
}

lucid_status lucid_forked(void) {
	static const char text[] = "lucid: the process is a fork of the one that loaded the library; load it in the child, or use exec";
	lucid_set_error(LUCID_FORKED, text, sizeof text - 1);
	return LUCID_FORKED;
}

const char *lucid_last_error(void) { return error_text == NULL ? "" : error_text; }

lucid_status lucid_last_status(void) { return error_status; }

void lucid_call_release(void *release, void *context) {
	void (*f)(void *);
	memcpy(&f, &release, sizeof f);
	f(context);
}
