#include "layout/probe.h"

#include <string.h>

#include "base/file_name.h"
#include "base/gzip.h"
#include "base/mem.h"

bool is_png_name(const char *name)
{
	return file_name_ends_in(name, ".png");
}

bool is_array_name(const char *name)
{
	return file_name_ends_in(name, ".npy");
}

bool is_picture_name(const char *name)
{
	static const char *const extensions[] = { ".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp" };

	return file_name_ends_in_any(name, extensions, ARRAY_SIZE(extensions));
}

bool is_cache_name(const char *name)
{
	return file_name_ends_in(name, ".cache");
}

bool content_is_picture(enum content content)
{
	return content == CONTENT_JPEG || content == CONTENT_GIF || content == CONTENT_BMP || content == CONTENT_TIFF ||
	       content == CONTENT_WEBP || content == CONTENT_WEBP_LOSSY || content == CONTENT_HEIF;
}

/* Of a gzip file, the first bytes of what is packed in it. */
static int unpack_gzip(uint8_t head[PEEK_BYTES], int n)
{
	uint8_t unpacked[PEEK_BYTES];

	if (n <= 0 || identify(head, (size_t)n) != CONTENT_GZIP)
		return n;
	n = (int)gzip_head(head, (size_t)n, unpacked, sizeof(unpacked));
	memcpy(head, unpacked, (size_t)n);
	return n;
}

struct file_head entry_peeked(const struct entry *entry, const uint8_t *head, size_t n)
{
	const char *name = entry->member ? entry->member : entry->path;

	return (struct file_head){ entry->path,
				   file_name_of(name),
				   identify(head, n),
				   head,
				   n,
				   entry->is_explicit || entry->standard_input,
				   false,
				   is_picture_name(entry->name) };
}

int entry_peek(const struct entry *entry, uint8_t head[PEEK_BYTES], struct fault *fault)
{
	if (!entry->member)
		return peek_file(entry->dirfd, entry->name, head, fault);
	size_t n = MIN(entry->bytes_len, (size_t)PEEK_BYTES);

	if (n)
		memcpy(head, entry->bytes, n);
	return (int)n;
}

const char *entry_found_as(const struct entry *entry)
{
	return entry->member ? entry->member : entry->path + entry->rel_offset;
}

bool is_preset_file(const char *name, const char *files)
{
	if (file_name_ends_in(files, ".png"))
		return file_name_ends_in(name, files);
	for (const char *p = name; (p = strstr(p, files)); p++)
		if ((p == name || p[-1] == '/') && strchr(p, '/'))
			return true;
	return false;
}

bool entry_look(const struct entry *entry, uint8_t head[PEEK_BYTES], struct file_head *out, struct fault *fault)
{
	int n = entry_peek(entry, head, fault);

	if (n < 0)
		return false;
	*out = entry_peeked(entry, head, (size_t)unpack_gzip(head, n));
	return true;
}
