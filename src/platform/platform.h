/*
 * The calls that systems have under other names, or not at all. linux.c is for Linux, posix.c for all others, and does
 * what POSIX.1-2024 has; one of them is compiled (make PLATFORM=posix), with platform.c. Whatever a system lacks, a
 * caller can do without: each says how below. No function allocates, but for platform_read_folder() of posix.c. Any
 * thread. A failure leaves its reason in errno: EOPNOTSUPP where a system has no such thing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/* "linux" or "posix": which of the two this is. */
extern const char platform_name[];

/*
 * A record of a folder, as getdents64 of Linux has them. Records lie one after the other, each at a multiple of eight
 * bytes.
 */
struct folder_record {
	uint64_t inode;
	int64_t offset;
	unsigned short length; /* of the record, with what follows the name */
	unsigned char type;    /* DT_*, of <dirent.h>; DT_UNKNOWN where the file system does not say */
	char name[];           /* ends in NUL; "." and ".." are among them */
};

/* Holds a record of the longest name. */
enum { FOLDER_RECORD_MAX = 280 };

/*
 * Reads the next names of an open folder. Requires n >= FOLDER_RECORD_MAX, records aligned to eight bytes. Returns how
 * many bytes; 0: the end; -1, with EMFILE if it takes a descriptor more. A name that is made or removed meanwhile may
 * be among them or not.
 */
int64_t platform_read_folder(int fd, void *records, size_t n);
/* Opens a folder to look from it: its names need not be readable where the system can do so. flags: as of open(2). */
int platform_open_folder(int dirfd, const char *path, int flags);

/*
 * Opens a new file in the folder that no name leads to, and nothing is left of however the process ends. Returns -1 on
 * failure.
 */
int platform_unnamed_file(int dirfd, const char *folder, int mode);

/* The path of an open file. Only on Linux does it lead to the names of its folder. */
struct fd_path {
	char s[32];
};

struct fd_path platform_fd_path(int fd);

/* Hints, which may do nothing: these bytes will be read; the file will be read from its beginning to its end. */
void platform_will_read(int fd, uint64_t at, uint64_t n);
void platform_will_read_through(int fd);
/* Writes all of the file system of fd that is not on its storage yet. */
bool platform_sync(int fd);
/* Makes `to` the content of `from` by sharing its blocks. Returns false if the file system cannot. */
bool platform_share_blocks(int to, int from);

struct platform_space {
	uint64_t bytes, files; /* that may be made yet */
	bool counts_files;
};

/* Returns false if it is unknown how much of what is written a folder's file system will take up. */
bool platform_space(int folder, struct platform_space *out);

/* Fills out with what nobody can guess. Never waits: false early in a system's start. */
bool platform_random(void *out, size_t n);
/* Returns the processors that this process may run on, 0: unknown. */
unsigned platform_processors(void);
/* Counts how often this thread gave its processor up by itself, and was made to. Returns false if nobody knows. */
bool platform_switches(long *waits, long *preemptions);
/* Returns whether the running program's own file was found. */
bool platform_program(struct stat *st);

/* As qsort, which gives the context to `compare`. */
void platform_sort(void *v, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
		   void *context);

#ifdef __APPLE__
void *memrchr(const void *s, int c, size_t n); /* as in <string.h> of others */
#endif
