#include "layout/photo_probe.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "read/png_header.h"

enum {
	PROBES_PER_FOLDER = 4,
	PROBES_MAX = 1024, /* a tree may have a folder for each photo */
};

/* Returns whether the PNG is as large as a photo of its size. A PNG that cannot be read counts in *unread. */
static bool has_photo_entropy(const struct entry *entry, struct entry_probe *probe, bool in_colours, uint64_t *unread)
{
	/* The frames around the pixels do not count: in a small mask they are larger than the pixels. */
	enum { FRAME_BYTES = 57 /* signature, IHDR, the frames of IDAT and IEND */ };
	struct png_header png;
	struct fault ignored;

	fault_clear(&ignored);
	if (!probe_entry(probe, entry, &ignored)) {
		++*unread;
		return false;
	}
	uint64_t size = entry->member ? entry->size : (uint64_t)probe->file.st.st_size;

	if (probe->is_packed || probe->head.n < PNG_IHDR_END || probe->head.content != CONTENT_PNG)
		return false;
	png_header_parse(probe->head.head + PNG_IHDR_AT, &png);
	uint64_t pixels = (uint64_t)png.width * png.height;
	uint64_t bits = size > FRAME_BYTES ? 8 * (size - FRAME_BYTES) : 0;
	bool direct = png.colour_type != PNG_PALETTE && png.bit_depth >= 8; /* no palette, whole bytes a sample */

	/* photographs in colours take 8 bits and more, colours of masks may take 1.5 where they are small */
	if (in_colours)
		return direct && (png.colour_type & PNG_RGB) && bits >= 4 * pixels;
	return direct && 2 * bits >= 3 * pixels;
}

/* Returns whether a file holds labels of that kind. */
static bool is_label_file(int dirfd, const char *name, enum kind kind)
{
	uint8_t head[PEEK_BYTES];
	struct fault ignored;

	fault_clear(&ignored);
	int n = input_read_head(dirfd, name, head, &ignored);

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

/* Looks for folder.json beside folder/1.png, but not above the folder that was walked. */
bool photo_probe_is_panoptic(const struct entry *entry)
{
	const char *slash = strrchr(entry->path, '/');
	char name[PATH_MAX];

	if (!slash || slash < entry->path + entry->rel_offset)
		return false;
	int n = snprintf(name, sizeof(name), "%.*s.json", (int)(slash - entry->path), entry->path);

	return n < (int)sizeof(name) && is_label_file(AT_FDCWD, name, KIND_COCO);
}

static uint64_t hash_folder(const struct entry *entry)
{
	const char *path = entry->member ? entry->member : entry->path, *slash = strrchr(path, '/');

	return hash_bytes(hash_bytes(hash_seed(), entry->path, entry->member ? strlen(entry->path) : 0), path,
			  slash ? (size_t)(slash - path) : 0);
}

bool photo_probe_png(struct photo_probe *probe, const struct entry *entry)
{
	uint64_t folder = hash_folder(entry);
	bool again = probe->here && folder == probe->folder;
	struct entry_probe opened;

	if (probe->all >= PROBES_MAX || (again && (probe->here >= PROBES_PER_FOLDER || !probe->photos)))
		return probe->photos;
	probe->here = again ? probe->here + 1 : 1;
	probe->folder = folder;
	probe->all++;
	probe_init(&opened);
	probe->photos = has_photo_entropy(entry, &opened, false, &probe->unread) ||
			(!entry->member && (has_text_beside(entry) || photo_probe_is_panoptic(entry)));
	probe_close(&opened);
	return probe->photos;
}

bool photo_probe_is_colour(const struct entry *entry, struct entry_probe *opened)
{
	uint64_t ignored = 0;

	return has_photo_entropy(entry, opened, true, &ignored);
}

/* ---- candidates ------------------------------------------------------------------------------------------------- */

void photo_candidates_init(struct photo_candidates *c)
{
	c->count = 0;
	c->more = false;
	strbuf_init(&c->paths);
}

void photo_candidates_release(struct photo_candidates *c)
{
	strbuf_release(&c->paths);
	photo_candidates_init(c);
}

void photo_candidates_add(struct photo_candidates *c, const struct entry *entry)
{
	size_t len = strlen(entry->path);

	if (entry->member || c->count == PHOTO_CANDIDATES_MAX || len >= PATH_MAX) {
		c->more = true;
		return;
	}
	c->v[c->count].at = c->paths.len;
	c->v[c->count++].rel_offset = entry->rel_offset;
	strbuf_add(&c->paths, entry->path, len + 1);
}

bool photo_candidates_may_be_photos(const struct photo_candidates *c)
{
	struct photo_probe probe = { 0 };
	bool found = c->more;

	for (size_t i = 0; i < c->count && !found; i++) {
		const char *path = c->paths.s + c->v[i].at;
		const struct entry entry = {
			.path = path, .name = path, .dirfd = AT_FDCWD, .rel_offset = c->v[i].rel_offset
		};

		found = photo_probe_png(&probe, &entry) || probe.unread;
	}
	return found;
}
