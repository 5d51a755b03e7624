#include "layout/photo_probe.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "layout/probe.h"
#include "read/format.h"
#include "read/identify.h"
#include "read/peek.h"

enum {
	LOOKS_PER_FOLDER = 4,
	LOOKS_MAX = 1024, /* a tree may have a folder for each picture */
};

/* The frames around the pixels do not count: of small masks they weigh more than the mask. */
static bool is_heavy(struct picture_looks *looks, const struct entry *entry, bool in_colours)
{
	enum { IHDR_END = 33, FRAME_BYTES = 57 /* signature, IHDR, the frames of IDAT and IEND */ };
	uint8_t head[PEEK_BYTES];
	uint64_t size = entry->size;
	struct stat st;
	struct fault ignored;
	int rc = 0;

	fault_clear(&ignored);
	int n = entry_peek(entry, head, &ignored);

	if (!entry->member) {
		rc = fstatat(entry->dirfd, entry->name, &st, 0);
		size = rc < 0 ? 0 : (uint64_t)st.st_size;
	}
	looks->unread += n < 0 || rc < 0;
	if (n < IHDR_END || identify(head, IHDR_END) != CONTENT_PNG)
		return false;
	uint64_t pixels = (uint64_t)be32(head + 16) * be32(head + 20);
	uint64_t bits = size > FRAME_BYTES ? 8 * (size - FRAME_BYTES) : 0;
	bool direct = head[25] != 3 && head[24] >= 8; /* no palette, whole bytes a sample */

	/* photographs in colours take 8 bits and more, colours of masks may take 1.5 where they are small */
	if (in_colours)
		return direct && (head[25] & 2) && bits >= 4 * pixels;
	return direct && 2 * bits >= 3 * pixels;
}

/* Whether a file holds labels of that kind. */
static bool is_label_file(int dirfd, const char *name, enum kind kind)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored;

	fault_clear(&ignored);
	int n = peek_file(dirfd, name, head, &ignored);

	if (n <= 0)
		return false;
	struct file_head p = {
		.path = name, .name = name, .content = identify(head, (size_t)n), .head = head, .n = (size_t)n
	};

	return format_recognise(&p, KIND_BIT(kind)) != NULL;
}

static bool has_text_beside(const struct entry *entry)
{
	const char *dot = strrchr(entry->name, '.'), *slash = strrchr(entry->name, '/');
	char name[PATH_MAX];
	struct stat st;
	int n = snprintf(name, sizeof(name), "%.*s.txt", (int)(dot - entry->name), entry->name);

	if (n < (int)sizeof(name) && is_label_file(entry->dirfd, name, KIND_YOLO))
		return true;
	n = snprintf(name, sizeof(name), "%.*s_annotations.coco.json", slash ? (int)(slash + 1 - entry->name) : 0,
		     entry->name);
	return n < (int)sizeof(name) && fstatat(entry->dirfd, name, &st, 0) == 0;
}

/* folder.json beside folder/1.png; not above what was walked. */
bool png_is_panoptic(const struct entry *entry)
{
	const char *slash = strrchr(entry->path, '/');
	char name[PATH_MAX];

	if (!slash || slash < entry->path + entry->rel_offset)
		return false;
	int n = snprintf(name, sizeof(name), "%.*s.json", (int)(slash - entry->path), entry->path);

	return n < (int)sizeof(name) && is_label_file(AT_FDCWD, name, KIND_COCO);
}

/* Of a member its path in the archive. */
static uint64_t folder_of(const struct entry *entry)
{
	const char *path = entry->member ? entry->member : entry->path, *slash = strrchr(path, '/');

	return hash_bytes(hash_bytes(hash_seed(), entry->path, entry->member ? strlen(entry->path) : 0), path,
			  slash ? (size_t)(slash - path) : 0);
}

bool png_is_picture(struct picture_looks *looks, const struct entry *entry)
{
	uint64_t folder = folder_of(entry);
	bool again = looks->here && folder == looks->folder;

	if (looks->all >= LOOKS_MAX || (again && (looks->here >= LOOKS_PER_FOLDER || !looks->pictures)))
		return looks->pictures;
	looks->here = again ? looks->here + 1 : 1;
	looks->folder = folder;
	looks->all++;
	looks->pictures =
		is_heavy(looks, entry, false) || (!entry->member && (has_text_beside(entry) || png_is_panoptic(entry)));
	return looks->pictures;
}

bool png_is_colour_picture(const struct entry *entry)
{
	struct picture_looks ignored = { 0 };

	return is_heavy(&ignored, entry, true);
}
