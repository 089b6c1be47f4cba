/* What the clients of the tests share. */
#ifndef CHECK_H
#define CHECK_H

#define LUCID_DLPACK
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lucid.h"

/* OK ends the program unless a call succeeds, WANT unless it fails in one way, TRUE unless a condition holds. */
#define OK(call)                                                                                  \
	do {                                                                                          \
		if ((call) != LUCID_OK) {                                                                 \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, lucid_last_error());    \
			exit(1);                                                                              \
		}                                                                                         \
	} while (0)

#define WANT(status, call)                                                                                              \
	do {                                                                                                                \
		lucid_status got_ = (call);                                                                                     \
		if (got_ != (status) || lucid_last_status() != (status) || strncmp(lucid_last_error(), "lucid: ", 7) != 0) {    \
			fprintf(stderr, "%s:%d: %s: status %d, %s\n", __FILE__, __LINE__, #call, (int)got_, lucid_last_error());    \
			exit(1);                                                                                                    \
		}                                                                                                               \
	} while (0)

#define TRUE(condition)                                                          \
	do {                                                                         \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
			exit(1);                                                             \
		}                                                                        \
	} while (0)

static inline double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* contents reads a whole file; the caller frees it. */
static inline void *contents(const char *path, size_t *size) {
	FILE *f = fopen(path, "rb");
	long n;
	void *p;
	TRUE(f != NULL && fseek(f, 0, SEEK_END) == 0);
	n = ftell(f);
	rewind(f);
	p = malloc((size_t)n + 1);
	TRUE(p != NULL && fread(p, 1, (size_t)n, f) == (size_t)n);
	fclose(f);
	*size = (size_t)n;
	return p;
}

#endif
