#include "measure/panoptic.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "png/decode.h"

/* Distinct ids counted in one PNG: as many as an annotation may have segments, and as many that are none. */
enum { IDS_MAX = 2 * COCO_SEGMENTS_MAX };

struct id_count {
	uint32_t id;
	bool is_segment;
	uint64_t pixels;
};

struct panoptic {
	int folder;
	struct limits limits;
	struct input input;
	struct sample sample; /* of the current PNG */
	struct id_count *ids; /* of that PNG; owned, IDS_MAX */
	size_t ids_count;
	struct table table; /* of ids */
};

struct panoptic *panoptic_open(const char *path, const struct limits *limits)
{
	size_t n = strlen(path);
	struct strbuf folder = STRBUF_INIT;
	struct panoptic *p = NULL;

	if (n <= 5 || strcmp(path + n - 5, ".json") != 0)
		return NULL;
	strbuf_add(&folder, path, n - 5);
	int fd = open(folder.s, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);

	strbuf_release(&folder);
	if (fd < 0)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->folder = fd;
	p->limits = *limits;
	input_init(&p->input);
	p->ids = xmalloc(IDS_MAX * sizeof(*p->ids));
	return p;
}

void panoptic_close(struct panoptic *p)
{
	if (!p)
		return;
	close(p->folder);
	input_release(&p->input);
	free(p->ids);
	table_release(&p->table);
	free(p);
}

static void clear_counts(struct panoptic *p)
{
	table_clear(&p->table);
	p->ids_count = 0;
}

static struct id_count *find_id(const struct panoptic *p, uint32_t id)
{
	uint64_t hash = hash_mix(id ^ hash_seed());
	uint32_t i;

	for (size_t at = table_start(&p->table, hash); (i = table_next(&p->table, hash, &at)) != TABLE_NONE;)
		if (p->ids[i].id == id)
			return &p->ids[i];
	return NULL;
}

/* Ids beyond IDS_MAX are not counted: the PNG is a photograph, and enough of its ids are unknown. */
static void count_pixels(struct panoptic *p, uint32_t id, uint64_t pixels)
{
	struct id_count *count = find_id(p, id);

	if (!count) {
		if (p->ids_count == IDS_MAX)
			return;
		table_add(&p->table, hash_mix(id ^ hash_seed()), p->ids_count);
		count = &p->ids[p->ids_count++];
		*count = (struct id_count){ .id = id };
	}
	count->pixels += pixels;
}

static void count_row(struct panoptic *p, const uint8_t *rgb, uint32_t width)
{
	uint32_t from = 0;

	for (uint32_t x = 1; x <= width; x++) {
		const uint8_t *first = rgb + 3 * (size_t)from;

		if (x < width && !memcmp(first, rgb + 3 * (size_t)x, 3))
			continue;
		count_pixels(p, first[0] | (uint32_t)first[1] << 8 | (uint32_t)first[2] << 16, x - from);
		from = x;
	}
}

/* Returns whether the name stays in the folder. */
static bool is_inside(const char *name)
{
	if (!name[0] || name[0] == '/')
		return false;
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || !part[2]))
			return false;
	}
	return true;
}

/* Counts the pixels of one PNG by id. Returns false if it cannot be read, or does not have 3 channels of 8 bits. */
static bool count_png(struct panoptic *p, const char *name)
{
	struct sample *sample = &p->sample;
	struct png_decoder *d;
	bool ok;

	memset(sample, 0, sizeof(*sample));
	fault_clear(&sample->fault);
	fault_clear(&sample->warning);
	if (!is_inside(name) || !input_open(&p->input, p->folder, name, &sample->fault) ||
	    !png_decoder_open(&d, &p->input, &p->limits, sample))
		return false;
	ok = sample->png.channels == 3 && sample->png.bit_depth == 8;
	for (uint32_t y = 0; ok && y < sample->png.height; y++) {
		const uint8_t *row = png_decoder_row(d);

		ok = row;
		if (ok)
			count_row(p, row, sample->png.width);
	}
	ok = ok && png_decoder_finish(d);
	png_decoder_close(d);
	return ok;
}

static void note(struct coco_file *file, enum coco_trouble trouble, uint64_t id, const struct coco_panoptic *a)
{
	coco_note(file, trouble, (int64_t)id, a->line, a->column);
}

void panoptic_compare(void *self, const struct coco_panoptic *a, struct coco_file *file)
{
	struct panoptic *p = self;

	clear_counts(p);
	if (!count_png(p, a->file_name)) {
		note(file, COCO_PNG_MISSING, 0, a);
		return;
	}
	file->facts.pngs++;
	if (a->width && a->height && (a->width != p->sample.png.width || a->height != p->sample.png.height))
		note(file, COCO_PNG_SIZE, 0, a);
	for (size_t i = 0; i < a->segments_count; i++) {
		const struct coco_segment *segment = &a->segments[i];
		struct id_count *count = segment->id <= 0xffffff ? find_id(p, (uint32_t)segment->id) : NULL;

		if (!count) {
			note(file, COCO_SEGMENT_NOT_PNG, segment->id, a);
			continue;
		}
		if (count->is_segment)
			note(file, COCO_SAME_SEGMENT, segment->id, a);
		count->is_segment = true;
		if (segment->has_area && segment->area != count->pixels)
			note(file, COCO_SEGMENT_AREA, segment->id, a);
	}
	for (size_t i = 0; i < p->ids_count; i++)
		if (p->ids[i].id && !p->ids[i].is_segment)
			note(file, COCO_SEGMENT_UNKNOWN, p->ids[i].id, a);
}
