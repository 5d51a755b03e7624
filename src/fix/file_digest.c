#include "fix/file_digest.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/write_all.h"

enum { PIECE = 1 << 20 };

void digest_bytes(const void *bytes, size_t n, struct digest *out)
{
	struct digester d;

	digester_begin(&d);
	digester_add(&d, bytes, n);
	digester_finish(&d, out);
}

bool digest_link(int folder, const char *path, struct digest *out)
{
	char target[4096]; /* PATH_MAX */
	ssize_t n = readlinkat(folder, path, target, sizeof(target));

	if (n >= 0)
		digest_bytes(target, (size_t)n, out);
	return n >= 0;
}

void digester_begin(struct digester *d)
{
	d->bytes = 0;
	sha256_init(&d->sha);
}

void digester_add(struct digester *d, const void *bytes, size_t n)
{
	sha256_add(&d->sha, bytes, n);
	d->bytes += n;
}

void digester_finish(struct digester *d, struct digest *out)
{
	out->bytes = d->bytes;
	sha256_hex(&d->sha, out->sha256);
}

bool digest_input(struct input *in, int fd, struct digest *out, struct fault *fault)
{
	FREED uint8_t *piece = xmalloc(PIECE);
	struct digester d;
	int64_t n;
	bool ok = true;

	digester_begin(&d);
	while (ok && (n = input_read(in, piece, PIECE, fault)) > 0) {
		digester_add(&d, piece, (size_t)n);
		if (fd >= 0 && !write_all(fd, piece, (size_t)n))
			ok = fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be written: %s",
				       strerror(errno));
	}
	digester_finish(&d, out);
	return ok && fault->kind == FAULT_NONE;
}
