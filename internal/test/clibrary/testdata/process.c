/* What the library does to the process: signals of the host go on working, a fork is refused. The library, the argument, is loaded
 * after the host has its handlers. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static volatile sig_atomic_t seen[65];
static sigjmp_buf back;

static void note(int signal) { seen[signal]++; }

static void fault(int signal) {
	seen[signal]++;
	siglongjmp(back, 1);
}

static lucid_status (*copy)(lucid_dtype, int32_t, const int64_t *, const void *, size_t, lucid_tensor *);
static lucid_status (*find)(const char *, lucid_op *);
static lucid_status (*call)(lucid_op, const lucid_tensor *, size_t, const lucid_attr *, size_t, lucid_tensor *, size_t *);
static lucid_status (*reading)(lucid_tensor, void *, size_t);
static void (*freeing)(lucid_tensor);
static const char *(*last)(void);

static void *symbol(void *library, const char *name) {
	void *p = dlsym(library, name);
	TRUE(p != NULL);
	return p;
}

#define SYMBOL(variable, name)                     \
	do {                                           \
		void *p_ = symbol(library, name);          \
		memcpy(&variable, &p_, sizeof variable);   \
	} while (0)

/* use computes something large enough for several threads. */
static void use(void) {
	static float data[256 * 256], result[256 * 256];
	int64_t shape[2] = {256, 256};
	lucid_tensor t, out, in[2];
	lucid_op matmul;
	size_t n = 1;
	int i;
	for (i = 0; i < 256; i++)
		data[i * 257] = 2;
	TRUE(find("matmul", &matmul) == LUCID_OK);
	TRUE(copy(LUCID_FLOAT32, 2, shape, data, sizeof data, &t) == LUCID_OK);
	in[0] = in[1] = t;
	TRUE(call(matmul, in, 2, NULL, 0, &out, &n) == LUCID_OK);
	TRUE(reading(out, result, sizeof result) == LUCID_OK && result[257] == 4);
	freeing(t);
	freeing(out);
}

/* refused is what a child sees. */
static int refused(void) {
	lucid_op op;
	lucid_tensor t;
	float x = 1;
	if (find("add", &op) != LUCID_FORKED || copy(LUCID_FLOAT32, 0, NULL, &x, 4, &t) != LUCID_FORKED)
		return 1;
	freeing(7);
	return strstr(last(), "fork") == NULL ? 2 : 0;
}

static void await(pid_t child) {
	int status;
	while (waitpid(child, &status, 0) < 0)
		TRUE(errno == EINTR);
	TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv) {
	static const int signals[] = {SIGINT, SIGUSR1, SIGUSR2, SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGCHLD, SIGWINCH};
	struct sigaction action, old;
	struct itimerval timer;
	void *library;
	size_t i;
	pid_t child;
	int ends[2];
	TRUE(argc == 2);
	memset(&action, 0, sizeof action);
	action.sa_handler = note;
	for (i = 0; i < sizeof signals / sizeof signals[0]; i++)
		TRUE(sigaction(signals[i], &action, NULL) == 0);
	action.sa_handler = fault;
	action.sa_flags = SA_NODEFER;
	TRUE(sigaction(SIGSEGV, &action, NULL) == 0 && sigaction(SIGFPE, &action, NULL) == 0);

	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	SYMBOL(copy, "lucid_tensor_copy");
	SYMBOL(find, "lucid_op_find");
	SYMBOL(call, "lucid_op_call");
	SYMBOL(reading, "lucid_tensor_read");
	SYMBOL(freeing, "lucid_tensor_free");
	SYMBOL(last, "lucid_last_error");

	/* A timer interrupts the library all the time. */
	memset(&timer, 0, sizeof timer);
	timer.it_interval.tv_usec = timer.it_value.tv_usec = 500;
	TRUE(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	for (i = 0; i < 50; i++)
		use();
	memset(&timer, 0, sizeof timer);
	TRUE(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	TRUE(seen[SIGALRM] > 0);

	for (i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		int before = seen[signals[i]];
		TRUE(raise(signals[i]) == 0 && seen[signals[i]] == before + 1);
		TRUE(sigaction(signals[i], NULL, &old) == 0);
	}
	TRUE(pipe(ends) == 0 && close(ends[0]) == 0);
	TRUE(write(ends[1], "x", 1) == -1 && errno == EPIPE && seen[SIGPIPE] == 2);
	/* A fault of the host goes to the host. */
	if (sigsetjmp(back, 1) == 0) {
		volatile int *nowhere = NULL;
		*nowhere = 1;
	}
	TRUE(seen[SIGSEGV] == 1);
	use();

	if ((child = fork()) == 0)
		_exit(refused());
	await(child);
#if defined(__linux__) && defined(SYS_clone) && !defined(__SANITIZE_ADDRESS__)
	/* A fork that the C library does not see. */
	if ((child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0)
		_exit(refused());
	await(child);
#endif
	if ((child = fork()) == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	await(child);
	use(); /* the parent is not concerned */
	puts("ok");
	return 0;
}
