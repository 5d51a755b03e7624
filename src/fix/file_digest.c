#include "fix/file_digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/content_hash.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/write_all.h"

enum { PIECE = 1 << 20 };

void digest_bytes(const void *bytes, size_t n, struct digest *out)
{
	struct sha256 sha;

	out->bytes = n;
	content_hash_bytes(bytes, n, out->xxh3);
	sha256_init(&sha);
	sha256_add(&sha, bytes, n);
	sha256_hex(&sha, out->sha256);
}

bool digest_input(struct input *in, int fd, struct digest *out, struct fault *fault)
{
	struct content_hash *hash = content_hash_new();
	uint8_t *piece = xmalloc(PIECE);
	struct sha256 sha;
	int64_t n;
	bool ok = true;

	sha256_init(&sha);
	out->bytes = 0;
	while (ok && (n = input_read(in, piece, PIECE, fault)) > 0) {
		content_hash_add(hash, piece, (size_t)n);
		sha256_add(&sha, piece, (size_t)n);
		out->bytes += (uint64_t)n;
		if (fd >= 0 && !write_all(fd, piece, (size_t)n))
			ok = fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be written: %s",
				       strerror(errno));
	}
	content_hash_finish(hash, out->xxh3);
	sha256_hex(&sha, out->sha256);
	free(piece);
	return ok && fault->kind == FAULT_NONE;
}
