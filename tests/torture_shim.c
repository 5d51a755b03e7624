/*
 * Preloaded into the program by tests/property/torture.py: makes one kind of call fail, from the N-th on or that once.
 *
 *   TORTURE_CALL    malloc (and aligned_alloc, posix_memalign), calloc, realloc, open (and openat), read (and pread),
 *                   write, fsync, rename, close, fstat, lseek, readdir (and getdents64), pthread_create
 *   TORTURE_N       which of them fails, from 1; 0: none
 *   TORTURE_STICKY  1: and all after it
 *   TORTURE_HOW     of reading and writing, what is no error; interrupt: EINTR; short: half of the bytes at most;
 *                   untyped: of reading folders, without the types of files, as some file systems have it; stale: of
 *                   opening below a folder's descriptor, ESTALE
 *   TORTURE_COUNT   instead of these: a file that gets, when the process ends, how many there were of each; none fails
 *
 * Memory fails with ENOMEM, threads with EAGAIN, everything else with EIO. Descriptors 1 and 2 are left alone, so that
 * there is something to say it with; and 0, but for reading. glibc on Linux; calls that other libraries make count too,
 * those inside libc do not.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void torture_over(void);
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

/* The compiler calls these instead with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
ssize_t __read_chk(int fd, void *out, size_t n, size_t room);

static char wanted[24];
static long at;
static bool sticky, interrupt, is_short, stale, untyped, counting;
static atomic_long seen;
static struct {
	const char *name;
	atomic_long seen;
} counted[] = {
	{ "malloc", 0 }, { "calloc", 0 },  { "realloc", 0 },        { "open", 0 },  { "read", 0 },
	{ "write", 0 },  { "fsync", 0 },   { "rename", 0 },         { "close", 0 }, { "fstat", 0 },
	{ "lseek", 0 },  { "readdir", 0 }, { "pthread_create", 0 },
};
enum { COUNTED = sizeof(counted) / sizeof(counted[0]) };

static void __attribute__((constructor)) begin(void)
{
	const char *call = getenv("TORTURE_CALL"), *n = getenv("TORTURE_N"), *more = getenv("TORTURE_STICKY");
	const char *how = getenv("TORTURE_HOW");

	at = n ? atol(n) : 0;
	sticky = more && *more == '1';
	interrupt = how && !strcmp(how, "interrupt");
	is_short = how && !strcmp(how, "short");
	stale = how && !strcmp(how, "stale");
	untyped = how && !strcmp(how, "untyped");
	counting = getenv("TORTURE_COUNT");
	snprintf(wanted, sizeof(wanted), "%s", call ? call : "");
}

/* For what a program does at its end that is not its own: it neither fails nor counts. */
void torture_over(void)
{
	wanted[0] = '\0';
	counting = false;
}

static void __attribute__((destructor)) end(void)
{
	const char *path = getenv("TORTURE_COUNT");
	char text[COUNTED * 40];
	int length = 0;

	torture_over();
	if (!path)
		return;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	for (int i = 0; i < COUNTED; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s %ld\n", counted[i].name,
				   (long)counted[i].seen);
	if (fd >= 0)
		syscall(SYS_write, fd, text, length);
}

static bool fails(const char *call, int number)
{
	for (int i = 0; counting && i < COUNTED; i++)
		if (!strcmp(counted[i].name, call))
			atomic_fetch_add(&counted[i].seen, 1);
	if (counting || strcmp(wanted, call) != 0)
		return false;
	long i = atomic_fetch_add(&seen, 1) + 1;

	if (at == 0 || (sticky ? i < at : i != at))
		return false;
	errno = interrupt ? EINTR : number;
	return true;
}

/* As fails(), of n bytes, which may become fewer instead. */
static bool fails_of(const char *call, size_t *n)
{
	if (!fails(call, EIO))
		return false;
	if (!is_short)
		return true;
	*n = *n > 1 ? *n / 2 : *n;
	return false;
}

void *malloc(size_t n)
{
	return fails("malloc", ENOMEM) ? NULL : __libc_malloc(n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return fails("malloc", ENOMEM) ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **out, size_t alignment, size_t n)
{
	void *p = fails("malloc", ENOMEM) ? NULL : __libc_memalign(alignment, n);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void *calloc(size_t count, size_t size)
{
	return fails("calloc", ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t n)
{
	return fails("realloc", ENOMEM) ? NULL : __libc_realloc(old, n);
}

static int open_below(int folder, const char *path, int flags, unsigned mode)
{
	if (stale && folder == AT_FDCWD)
		return (int)syscall(SYS_openat, folder, path, flags, mode);
	return fails("open", stale ? ESTALE : EIO) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(mode, flags)                                       \
	unsigned mode = 0;                                      \
	if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
		va_list more;                                   \
		va_start(more, flags);                          \
		mode = va_arg(more, unsigned);                  \
		va_end(more);                                   \
	}

int open(const char *path, int flags, ...)
{
	MODE(mode, flags)
	return open_below(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	MODE(mode, flags)
	return open_below(folder, path, flags, mode);
}

int __open_2(const char *path, int flags)
{
	return open_below(AT_FDCWD, path, flags, 0);
}

int __openat_2(int folder, const char *path, int flags)
{
	return open_below(folder, path, flags, 0);
}

ssize_t read(int fd, void *out, size_t n)
{
	return fd != 1 && fd != 2 && fails_of("read", &n) ? -1 : syscall(SYS_read, fd, out, n);
}

ssize_t __read_chk(int fd, void *out, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, out, n);
}

ssize_t pread(int fd, void *out, size_t n, off_t where)
{
	return fd != 1 && fd != 2 && fails_of("read", &n) ? -1 : syscall(SYS_pread64, fd, out, n, where);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	return fd > 2 && fails_of("write", &n) ? -1 : syscall(SYS_write, fd, bytes, n);
}

off_t lseek(int fd, off_t to, int from)
{
	return fails("lseek", EIO) ? -1 : syscall(SYS_lseek, fd, to, from);
}

/* The program's own reading of folders, which has no name in libc. */
long syscall(long number, ...)
{
	union {
		void *address;
		long (*call)(long, ...);
	} real = { .address = dlsym(RTLD_NEXT, "syscall") };
	long a[6];
	va_list more;

	va_start(more, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(more, long);
	va_end(more);
	bool failed = number == SYS_getdents64 && fails("readdir", EIO);

	if (failed && !untyped)
		return -1;
	long result = real.call(number, a[0], a[1], a[2], a[3], a[4], a[5]);

	for (long from = 0; failed && from < result;) {
		/* NOLINTNEXTLINE(performance-no-int-to-ptr): it came as one */
		struct dirent64 *entry = (struct dirent64 *)(a[1] + from);

		entry->d_type = DT_UNKNOWN;
		from += entry->d_reclen;
	}
	return result;
}

/* That of a build for POSIX, and of libraries. */
struct dirent *readdir(DIR *dir)
{
	union {
		void *address;
		struct dirent *(*call)(DIR *);
	} real = { .address = dlsym(RTLD_NEXT, "readdir") };
	const int before = errno;
	const bool failed = fails("readdir", EIO);

	if (failed && !untyped)
		return NULL;
	errno = before;
	struct dirent *entry = real.call(dir);

	if (failed && entry)
		entry->d_type = DT_UNKNOWN;
	return entry;
}

int fsync(int fd)
{
	return fails("fsync", EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
	return fails("rename", EIO) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int fstat(int fd, struct stat *st)
{
	return fd > 2 && fails("fstat", EIO) ? -1 : fstatat(fd, "", st, AT_EMPTY_PATH);
}

/* As the kernel's: the descriptor is closed all the same. */
int close(int fd)
{
	bool bad = fd > 2 && fails("close", EIO);
	int result = (int)syscall(SYS_close, fd);

	if (bad)
		errno = EIO;
	return bad ? -1 : result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	/* dlsym gives an object's address for a function's */
	union {
		void *address;
		int (*call)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	} real = { .address = dlsym(RTLD_NEXT, "pthread_create") };

	return fails("pthread_create", EAGAIN) ? EAGAIN : real.call(thread, attributes, start, argument);
}
