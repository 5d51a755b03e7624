#include "layout/look.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/strbuf.h"
#include "base/zlib_inflate.h"
#include "layout/text_probe.h"
#include "layout/words.h"
#include "read/coco.h"
#include "read/raster.h"
#include "read/text_shape.h"

enum {
	/* of a picture: what is read, what is inflated to come to its middle, and how many rows of it are counted */
	WINDOW_BYTES = 1 << 20,
	INFLATED_BYTES = 4 << 20,
	ROW_BYTES = 1 << 16,
	ROWS_COUNTED = 96,
	/* values reported apart; more are those of a photo */
	VALUES_MAX = 4096,
	/* a mask has at most as many levels, and a grey one that is flat as many */
	MASK_LEVELS = 40,
	GREY_LEVELS = 256,
	PAIRS_MIN = 32,        /* fewer neighbours tell nothing about texture */
	NOISE_DIFFERENCE = 52, /* noise in eight bits has 85 between neighbours, photographs 3 to 25, radar up to 40 */
	CHUNK_FRAME = 12,
	CHUNKS_READ = 256,
	CHUNK_IDAT = 0x49444154,
	NAMES_BYTES = 256 << 10, /* of a text that are searched for names of images */
};

const char *look_name(enum content_look content)
{
	static const char *const names[LOOKS] = { "",       "unreadable", "empty",  "git-lfs", "photo",
						  "mask",   "colours",    "values", "array",   "floats",
						  "volume", "yolo",       "list",   "coco",    "idx",
						  "unread", "bytes",      "table",  "text",    "mixed" };

	return names[content];
}

void look_release(struct look *l)
{
	free(l->names);
	*l = (struct look){ 0 };
}

/* ---- values of pixels ---------------------------------------------------------------------------------------------
 */

struct value {
	uint32_t value, count, equal; /* equal: pairs of two neighbours that have it */
};

/* Sums over the rows of a picture that were counted. */
struct pixels {
	struct value v[2 * VALUES_MAX]; /* open addressing; count 0: free */
	unsigned levels;
	bool many;     /* more than the table holds */
	bool coloured; /* some pixel is not grey */
	uint64_t all, pairs, equal, difference;
};

static struct value *find_value(struct pixels *p, uint32_t value)
{
	size_t at = (value * 2654435761u) >> 19 & (2 * VALUES_MAX - 1);

	while (p->v[at].count && p->v[at].value != value)
		at = (at + 1) & (2 * VALUES_MAX - 1);
	if (!p->v[at].count) {
		if (p->levels == VALUES_MAX) {
			p->many = true;
			return NULL;
		}
		p->levels++;
		p->v[at].value = value;
	}
	return &p->v[at];
}

static void add_pixels(struct pixels *p, const uint32_t *row, size_t n)
{
	struct value *at = NULL;

	for (size_t i = 0; i < n; i++) {
		bool equal = i && row[i] == row[i - 1];

		if (!equal)
			at = find_value(p, row[i]);
		if (at)
			at->count++;
		if (!i)
			continue;
		if (at)
			at->equal += equal;
		p->equal += equal;
		p->difference += (uint64_t)llabs((long long)row[i] - (long long)row[i - 1]);
	}
	p->all += n;
	p->pairs += n ? n - 1 : 0;
}

static int by_count(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return x->count < y->count ? 1 : -(x->count > y->count);
}

/* Says what the counted pixels show. bits: of a sample. indexed: a palette's. */
static enum content_look judge_pixels(struct pixels *p, unsigned bits, bool indexed)
{
	enum { COMMON = 16 };
	const bool grey = !p->coloured;
	uint64_t common = 0;

	if (!p->all)
		return LOOK_UNREADABLE;
	/* most of the table is free: what is used comes to its beginning before it is sorted */
	for (size_t i = 0, used = 0; i < ARRAY_SIZE(p->v); i++) {
		const struct value v = p->v[i];

		p->v[i].count = 0;
		if (v.count)
			p->v[used++] = v;
	}
	qsort(p->v, p->levels, sizeof(p->v[0]), by_count);
	for (unsigned i = 0; i < COMMON; i++)
		common += p->v[i].count;
	/* neighbours that both have the commonest value tell nothing: a plain border, the sky */
	const uint64_t inner = p->pairs - p->v[0].equal, equal = p->equal - p->v[0].equal;
	const double flat = inner >= PAIRS_MIN ? (double)equal / (double)inner : 1;
	const bool small_levels = p->levels <= MASK_LEVELS && !p->many;

	if (small_levels || (grey && p->levels <= GREY_LEVELS && !p->many && flat > .8))
		return grey ? LOOK_MASK : LOOK_COLOURS;
	if (grey && bits == 16 && (p->many || p->levels > GREY_LEVELS))
		return LOOK_VALUES;
	if (flat >= .62 && 2 * common > p->all)
		return grey ? LOOK_MASK : LOOK_COLOURS;
	if (grey && bits == 8 && !indexed && p->pairs >= PAIRS_MIN && p->difference >= NOISE_DIFFERENCE * p->pairs)
		return LOOK_MASK; /* noise is no photo */
	return LOOK_PHOTO;
}

static bool has_wrong_id(const struct pixels *p, const struct class_set *classes)
{
	for (size_t i = 0; i < ARRAY_SIZE(p->v) && !p->coloured; i++)
		if (p->v[i].count && class_set_role(classes, p->v[i].value) == ID_INVALID)
			return true;
	return false;
}

/* ---- rows of a PNG ------------------------------------------------------------------------------------------------
 */

/* The rows of a PNG, inflated as far as its bytes are at hand. */
struct row_stream {
	z_stream z;
	const uint8_t *head;
	size_t n, at; /* of the head; of the next chunk */
	int status;
};

static void row_stream_init(struct row_stream *r, const uint8_t *head, size_t n)
{
	*r = (struct row_stream){ .head = head, .n = n, .at = PNG_SIGNATURE_BYTES, .status = Z_OK };
	zlib_inflate_begin(&r->z, INFLATE_ZLIB);
	inflateValidate(&r->z, 0); /* the Adler-32 takes longer than the rest */
}

/* Inflates the next bytes of rows. Returns how many: fewer at the end. */
static size_t row_stream_read(struct row_stream *r, uint8_t *out, size_t cap)
{
	r->z.next_out = out;
	r->z.avail_out = (uInt)cap;
	/* Z_BUF_ERROR: a chunk that is empty, or ends */
	while ((r->status == Z_OK || r->status == Z_BUF_ERROR) && r->z.avail_out) {
		if (!r->z.avail_in) {
			if (r->at + 8 >= r->n) {
				inflate(&r->z, Z_SYNC_FLUSH); /* what is left of a match */
				break;
			}
			uint64_t length = be32(r->head + r->at);
			size_t data = r->at + 8, end = (size_t)MIN((uint64_t)r->n, data + length);

			if (be32(r->head + r->at + 4) == CHUNK_IDAT) {
				r->z.next_in = (Bytef *)(uintptr_t)(r->head + data);
				r->z.avail_in = (uInt)(end - data);
			}
			r->at = data + (size_t)MIN(length, (uint64_t)r->n) + 4;
			if (!r->z.avail_in)
				continue;
		}
		r->status = inflate(&r->z, Z_SYNC_FLUSH);
	}
	return cap - r->z.avail_out;
}

static uint8_t paeth(int a, int b, int c)
{
	int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);

	return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

/* Reverses the filter of n bytes of a row. above: the row before, or zeros. */
static void unfilter(int filter, uint8_t *row, const uint8_t *above, size_t n, size_t step)
{
	for (size_t i = 0; filter && i < n; i++) {
		int a = i < step ? 0 : row[i - step], b = above[i], c = i < step ? 0 : above[i - step];
		int predicted = filter == 1   ? a
				: filter == 2 ? b
				: filter == 3 ? (a + b) / 2
				: filter == 4 ? paeth(a, b, c)
					      : 0;

		row[i] = (uint8_t)(row[i] + predicted);
	}
}

/* Turns n bytes of a row into values, one for each pixel. Returns how many. */
static size_t values_of_row(const struct png_header *png, const uint8_t *row, size_t n, uint64_t width, uint32_t *out,
			    bool *coloured)
{
	const unsigned depth = png->bit_depth, wide = depth / 8, step = png->channels * wide;
	size_t count = 0;

	for (size_t i = 0; depth < 8 && i < n; i++)
		for (unsigned shift = 8; shift >= depth && count < width; shift -= depth)
			out[count++] = row[i] >> (shift - depth) & ((1u << depth) - 1);
	for (size_t i = 0; depth >= 8 && i + step <= n && count < width; i += step) {
		uint8_t r = row[i], g = row[i + wide], b = row[i + 2 * wide];

		if (png->channels < 3)
			out[count++] = depth == 16 ? be16(row + i) : r;
		else if (r == g && r == b)
			out[count++] = r;
		else
			out[count++] = (uint32_t)r << 16 | (uint32_t)g << 8 | b | UINT32_C(1) << 24;
		*coloured |= png->channels > 2 && (r != g || r != b);
	}
	return count;
}

/* Counts rows all over the picture, as far as they are at hand; of Adam7 those of the first pass. */
static void count_rows(const struct png_header *png, const uint8_t *bytes, size_t n, struct pixels *p)
{
	const uint64_t width = png->interlace ? (png->width + 7) / 8 : png->width;
	const uint64_t height = png->interlace ? (png->height + 7) / 8 : png->height;
	const uint64_t row_bytes = (width * png->channels * png->bit_depth + 7) / 8;
	const size_t kept = (size_t)MIN(row_bytes + 1, (uint64_t)ROW_BYTES);
	const size_t step = MAX((size_t)1, (size_t)(png->channels * png->bit_depth / 8));
	const uint64_t stride = MAX(height / ROWS_COUNTED, (uint64_t)1);
	uint8_t *rows = xcalloc(2, ROW_BYTES + 8), *row = rows, *above = rows + ROW_BYTES + 8;
	uint32_t *values = xmalloc(8 * ROW_BYTES * sizeof(*values));
	struct row_stream stream;
	size_t inflated = 0;

	row_stream_init(&stream, bytes, n);
	for (uint64_t y = 0; y < height && inflated < INFLATED_BYTES; y++) {
		size_t have = row_stream_read(&stream, row, kept);

		if (have < 2)
			break;
		unfilter(row[0], row + 1, above + 1, have - 1, step);
		if (y % stride == 0)
			add_pixels(p, values, values_of_row(png, row + 1, have - 1, width, values, &p->coloured));
		inflated += have;
		if (have < kept || kept <= row_bytes)
			break; /* the end, or a row too long for the next one to be unfiltered */
		uint8_t *swapped = above;

		above = row;
		row = swapped;
	}
	inflateEnd(&stream.z);
	free(values);
	free(rows);
}

/* Appends the file's first bytes without what lies between its IHDR and its pixels: profiles may be of any length. */
static void read_window(int fd, const uint8_t *head, size_t n, struct strbuf *window)
{
	uint64_t at = PNG_IHDR_END;
	uint8_t frame[8];

	for (unsigned i = 0; i < CHUNKS_READ; i++, at += CHUNK_FRAME + be32(frame)) {
		if (at + sizeof(frame) <= n)
			memcpy(frame, head + at, sizeof(frame));
		else if (pread(fd, frame, sizeof(frame), (off_t)at) != (ssize_t)sizeof(frame))
			return;
		if (be32(frame + 4) == CHUNK_IDAT)
			break;
	}
	strbuf_add(window, head, PNG_IHDR_END);
	char *bytes = xmalloc(WINDOW_BYTES);
	ssize_t got = pread(fd, bytes, WINDOW_BYTES, (off_t)at);

	strbuf_add(window, bytes, got > 0 ? (size_t)got : 0);
	free(bytes);
}

static void look_at_png(const struct entry_probe *probe, const struct settings *settings, struct look *out)
{
	const struct file_head *head = &probe->head;
	const bool on_disk = probe->file.fd >= 0 && !probe->is_packed;
	struct strbuf window = STRBUF_INIT;
	struct png_header png;

	out->content = LOOK_UNREADABLE;
	if (head->n < PNG_IHDR_END || png_header_parse(head->head + PNG_IHDR_AT, &png) != PNG_HEADER_LEGAL)
		return;
	struct pixels *p = xcalloc(1, sizeof(*p));

	if (on_disk && head->n == PEEK_BYTES)
		read_window(probe->file.fd, head->head, head->n, &window);
	if (window.len)
		count_rows(&png, (const uint8_t *)window.s, window.len, p);
	else
		count_rows(&png, head->head, head->n, p);
	out->content = judge_pixels(p, png.bit_depth, png.colour_type == PNG_PALETTE);
	/* sixteen bits in instances/ or depth/ are what such folders hold */
	out->wrong_id = out->content == LOOK_MASK && png.bit_depth <= 8 && has_wrong_id(p, &settings->classes);
	strbuf_release(&window);
	free(p);
}

/* Looks at a BMP or a GIF through its reader. */
static void look_at_raster(const struct entry *entry, const struct entry_probe *probe, struct look *out)
{
	struct fault ignored = FAULT_INIT;
	struct raster raster = { 0 };
	struct input input;

	out->content = LOOK_UNREADABLE;
	input_init(&input);
	if (entry->member)
		input_from_memory(&input, entry->bytes, entry->bytes_len);
	else if (probe->is_packed || !input_open(&input, entry->dirfd, entry->name, &ignored)) {
		input_release(&input);
		return;
	}
	const bool opened = probe->head.content == CONTENT_BMP ? bmp_open(&raster, &input, VIEW_PIL, &ignored)
							       : gif_open(&raster, &input, &ignored);

	if (opened) {
		const struct png_header *png = &raster.header;
		const uint64_t stride = MAX(png->height / ROWS_COUNTED, 1u);
		struct pixels *p = xcalloc(1, sizeof(*p));
		uint8_t *row = raster.row_bytes <= INFLATED_BYTES ? xmalloc(raster.row_bytes + 8) : NULL;
		uint32_t *values = row ? xmalloc(((size_t)png->width + 8) * sizeof(*values)) : NULL;
		size_t read = 0;

		for (uint64_t y = 0; row && y < png->height && read < INFLATED_BYTES; y++) {
			if (!raster.row(raster.self, row, &ignored))
				break;
			if (y % stride == 0)
				add_pixels(p, values,
					   values_of_row(png, row, raster.row_bytes, png->width, values, &p->coloured));
			read += raster.row_bytes;
		}
		out->content = judge_pixels(p, png->bit_depth, png->colour_type == PNG_PALETTE);
		free(values);
		free(row);
		free(p);
		raster.close(raster.self);
	}
	input_release(&input);
}

/* ---- texts --------------------------------------------------------------------------------------------------------
 */

uint64_t look_hash_name(const char *name, size_t n)
{
	char stem[NAME_MAX + 1];

	for (size_t i = n; i; i--)
		if (name[i - 1] == '/' || name[i - 1] == '\\') {
			name += i;
			n -= i;
			break;
		}
	if (n >= sizeof(stem))
		return hash_bytes(0, name, n);
	memcpy(stem, name, n);
	stem[n] = '\0';
	return hash_bytes(0, stem, is_image_name(stem) ? strlen(stem) - strlen(file_name_extension(stem)) : n);
}

static void add_name(struct look *out, const char *name, size_t n)
{
	if (!out->names)
		out->names = xmalloc(LOOK_NAMES_MAX * sizeof(*out->names));
	if (out->names_count < LOOK_NAMES_MAX && n)
		out->names[out->names_count++] = look_hash_name(name, n);
}

/* Adds the strings that follow "file_name" and its like, and counts them. */
static uint64_t add_json_names(struct look *out, const char *s, size_t n)
{
	static const char key[] = "\"file_name\"";
	uint64_t count = 0;

	for (const char *end = s + n, *p = s; (p = memmem(p, (size_t)(end - p), key, sizeof(key) - 1));) {
		p += sizeof(key) - 1;
		const char *open = memchr(p, '"', (size_t)(end - p));
		const char *close = open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;

		if (!close)
			break;
		add_name(out, open + 1, (size_t)(close - open - 1));
		count++;
		p = close + 1;
	}
	return count;
}

/* Adds all strings in JSON or XML that are names of images. */
static void add_quoted_names(struct look *out, const char *s, size_t n)
{
	char name[NAME_MAX + 1];

	for (const char *end = s + n, *p = s; p < end && (p = memchr(p, '.', (size_t)(end - p))); p++) {
		const char *from = p, *to = p;

		while (from > s && !strchr("\"<>'", from[-1]) && p - from < NAME_MAX)
			from--;
		while (to < end && (ascii_isalnum(*to) || *to == '.'))
			to++;
		if ((size_t)(to - from) > NAME_MAX)
			continue;
		memcpy(name, from, (size_t)(to - from));
		name[to - from] = '\0';
		if (is_image_name(name))
			add_name(out, from, (size_t)(to - from));
	}
}

/* Adds the first field of each row, or the first that is the name of an image. Returns the number of rows. */
static uint64_t add_row_names(struct look *out, const char *s, size_t n)
{
	uint64_t rows = 0;

	for (const char *end = s + n, *p = s, *line; p < end; p = line + 1, rows++) {
		char name[NAME_MAX + 1] = "";
		const char *first = NULL;
		size_t first_n = 0;

		line = memchr(p, '\n', (size_t)(end - p));
		if (!line)
			break;
		for (const char *f = p, *to; f < line; f = to + 1) {
			for (to = f; to < line && !strchr(",;\t |\r\"", *to);)
				to++;
			size_t len = (size_t)(to - f);

			if (!len || len > NAME_MAX)
				continue;
			memcpy(name, f, len);
			name[len] = '\0';
			if (!first || is_image_name(name)) {
				first = f;
				first_n = len;
			}
			if (is_image_name(name))
				break;
		}
		if (first && (rows || is_image_name(name)))
			add_name(out, first, first_n);
	}
	return rows;
}

/* Returns more of a text than its first bytes, owned by *room. */
static const char *read_further(const struct entry *entry, const struct entry_probe *probe, char **room, size_t *n,
				uint64_t *size)
{
	*n = probe->head.n;
	*size = probe->head.n;
	*room = NULL;
	if (probe->is_packed)
		return (const char *)probe->head.head;
	if (entry->member) {
		*n = MIN(entry->bytes_len, (size_t)NAMES_BYTES);
		*size = MAX(entry->size, (uint64_t)*n);
		return (const char *)entry->bytes;
	}
	*size = probe->file.fd >= 0 ? (uint64_t)probe->file.st.st_size : *n;
	if (probe->head.n < PEEK_BYTES || probe->file.fd < 0)
		return (const char *)probe->head.head;
	*room = xmalloc(NAMES_BYTES);
	ssize_t got = pread(probe->file.fd, *room, NAMES_BYTES, 0);

	if (got <= 0)
		return (const char *)probe->head.head;
	*n = (size_t)got;
	return *room;
}

/* Adds what a text names, and how much it describes. */
static void add_names(const struct entry *entry, const struct entry_probe *probe, struct look *out)
{
	char *room;
	size_t n;
	uint64_t size, count = 0;
	const char *text = read_further(entry, probe, &room, &n, &size);

	if (out->content == LOOK_COCO)
		count = add_json_names(out, text, n);
	else if (out->content == LOOK_UNREAD)
		add_quoted_names(out, text, n);
	else
		count = add_row_names(out, text, n);
	if (out->content == LOOK_UNREAD)
		count = out->names_count;
	if (count)
		out->amount = MAX((uint64_t)((double)count * ((double)size / (double)n)), (uint64_t)1);
	free(room);
}

/* Returns whether a JSON text has a key of annotations that are not read, and is no training's configuration. */
static bool has_annotation_key(const struct file_head *f)
{
	static const char *const keys[] = {
		"\"shapes\"",       "\"annotations\"",     "\"category_id\"",
		"\"regions\"",      "\"objects\"",         "\"label\"",
		"\"segmentation\"", "\"labels\"",          "\"bbox\"",
		"\"class\"",        "\"boxes\"",           "\"category\"",
		"\"lanes\"",        "\"rectanglelabels\"", "\"FeatureCollection\"",
		"\"gtboxes\"",      "\"instances\"",       "\"ground_truth\"",
		"\"form\"",
	};
	static const char *const settings[] = { "\"file_ending\"", "\"numTraining\"", "\"channel_names\"",
						"\"features\"",    "\"nbformat\"",    "\"id2label\"",
						"\"score\"" };

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (memmem(f->head, f->n, settings[i], strlen(settings[i])))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (memmem(f->head, f->n, keys[i], strlen(keys[i])))
			return true;
	return false;
}

static void set_unread(struct look *out, enum unread_kind kind)
{
	out->content = LOOK_UNREAD;
	out->unread = kind;
}

static enum content_look look_at_array(const struct file_head *head)
{
	enum { IMAGE_AXES = 4 };
	uint64_t sides[ARRAY_SIDES] = { 0 };

	return array_axes(head, sides) >= IMAGE_AXES ? LOOK_VOLUME
	       : array_holds_fractions(head)         ? LOOK_FLOATS
						     : LOOK_ARRAY;
}

/*
 * Returns whether a text is the split of a set whose images have numbers for names: train.txt, each number once. Never
 * in a folder named labels, where a few labels that differ are no names.
 */
static bool is_split_of_names(const struct entry *entry, const struct file_head *head, const struct text_look *text)
{
	static const char labels[] = "labels";
	const char *folder = path_find_folder(entry->member ? entry->member : head->path, labels);

	return !(folder && !strcmp(folder + sizeof(labels), head->name)) &&
	       role_of_name(head->name, strlen(head->name) - strlen(file_name_extension(head->name))) == ROLE_SPLIT &&
	       (text->kind == TEXT_IS_NAMES || text->distinct);
}

void look_at_head(const struct entry *entry, struct entry_probe *probe, const struct settings *settings, bool further,
		  struct look *out)
{
	const struct file_head *head = &probe->head;
	const enum unread_kind unread = unread_kind_of(head->content, head->head, head->n);

	const bool is_test = !strncasecmp(head->name, "test", 4);
	const struct text_look *text = probe_text(probe);

	*out = (struct look){ .content = LOOK_TEXT,
			      .amount = 1,
			      .is_test = is_test,
			      .width = (unsigned)text->columns,
			      .is_asked = text->kind == TEXT_IS_TABLE && text->columns > 1,
			      .has_header = text->header,
			      .has_word = text->header && text->label_word,
			      .lacks_word = is_test && text->header && !text->label_word,
			      .has_column =
				      !settings->list.column || table_has_column(head, text, settings->list.column) };
	if (head->content == CONTENT_OWN_REPORT)
		return;
	if (head->content == CONTENT_EMPTY || head->content == CONTENT_LFS_POINTER) {
		out->content = head->content == CONTENT_EMPTY ? LOOK_EMPTY : LOOK_POINTER;
		return;
	}
	if (head->content == CONTENT_NUMPY) {
		out->content = look_at_array(head);
		return;
	}
	if (content_is_photo(head->content)) {
		out->content = LOOK_PHOTO;
		return;
	}
	const struct label_format *format = format_recognise(head, ~(KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY)));

	if (!format && further && has_coco_further_on(entry, probe))
		format = format_of_kind(KIND_COCO);
	if (unread == UNREAD_COORDINATES &&
	    !(format && settings->list.column && table_has_column(head, text, settings->list.column)))
		set_unread(out, unread);
	else if (is_name_of_notes(head->name))
		out->content = text_is_multi_label(head->name, head->head, head->n) ? LOOK_LIST : LOOK_TEXT;
	else if (format && format->kind == KIND_LIST)
		out->content = !table_has_labels(head, text, settings->list.column) ? LOOK_TABLE
			       : is_split_of_names(entry, head, text)               ? LOOK_TEXT
										    : LOOK_LIST;
	else if (format)
		out->content = format->kind == KIND_YOLO   ? LOOK_YOLO
			       : format->kind == KIND_COCO ? LOOK_COCO
			       : format->kind == KIND_IDX  ? LOOK_IDX
							   : LOOK_TEXT;
	else if (unread != UNREAD_NONE)
		set_unread(out, unread);
	else if (head->content == CONTENT_XML ||
		 (head->content == CONTENT_TEXT && head->n && head->head[0] == '<' &&
		  file_name_ends_in(head->name, ".xml")) ||
		 (head->content == CONTENT_JSON && has_annotation_key(head)))
		set_unread(out, UNREAD_NONE);
	else if (head->content == CONTENT_UNKNOWN)
		out->content = LOOK_BYTES;
	if (further && (out->content == LOOK_COCO || out->content == LOOK_LIST || out->content == LOOK_TABLE ||
			(out->content == LOOK_UNREAD && head->content >= CONTENT_XML)))
		add_names(entry, probe, out);
}

const struct look look_unseen = { .content = LOOK_UNREADABLE, .amount = 1 };

void look_at(const struct entry *entry, struct entry_probe *probe, const struct settings *settings, struct look *out)
{
	struct fault fault = FAULT_INIT;

	*out = look_unseen;
	if (!probe_entry(probe, entry, &fault)) {
		out->failed = fault.kind == FAULT_UNREADABLE && !entry->member;
		return;
	}
	if (probe->head.content == CONTENT_PNG)
		look_at_png(probe, settings, out);
	else if (probe->head.content == CONTENT_BMP || probe->head.content == CONTENT_GIF)
		look_at_raster(entry, probe, out);
	else
		look_at_head(entry, probe, settings, true, out);
}
