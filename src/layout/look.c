#include "layout/look.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "base/strbuf.h"
#include "layout/text_probe.h"
#include "layout/words.h"
#include "png/head_raster.h"
#include "read/coco.h"
#include "read/raster.h"
#include "read/text_shape.h"
#include "read/tokens.h"
#include "read/volume.h"

enum {
	/* of a picture: what is inflated to come to its middle, and how many rows of it are counted */
	INFLATED_BYTES = 4 << 20,
	SURE_BYTES = 256 << 10, /* less, if these leave no doubt */
	ROWS_COUNTED = 48,
	/* values reported apart; more are those of a photo */
	VALUES_MAX = 4096,
	/* a mask has at most as many levels, and a grey one that is flat as many */
	MASK_LEVELS = 40,
	GREY_LEVELS = 256,
	PAIRS_MIN = 32,         /* fewer neighbours tell nothing about texture */
	NOISE_DIFFERENCE = 52,  /* noise in eight bits has 85 between neighbours, photographs 3 to 25, radar up to 40 */
	VOXEL_BYTES = 64 << 10, /* read at once of a volume; */
	VOXEL_STEP = 7,         /* every seventh voxel tells enough */
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
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && row[end] == row[i];)
			end++;
		const uint32_t run = (uint32_t)(end - i);
		struct value *at = find_value(p, row[i]);

		if (at) {
			at->count += run;
			at->equal += run - 1;
		}
		p->equal += run - 1;
		p->difference += i ? (uint64_t)llabs((long long)row[i] - (long long)row[i - 1]) : 0;
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

/* Returns whether the first rows leave no doubt: flat areas of several values, or the texture of a photo. */
static bool is_sure(const struct pixels *p)
{
	uint64_t most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(p->v); i++)
		most = MAX(most, (uint64_t)p->v[i].equal);
	const uint64_t inner = p->pairs - most, equal = p->equal - most;

	/* a plain border or a sky is most of it: the middle may show something else */
	if (4 * inner < p->pairs)
		return false;
	return p->many ? 2 * equal < inner : p->levels <= MASK_LEVELS && 10 * equal > 9 * inner;
}

/* Asked after judge_pixels(), which moves the values to the beginning of the table. */
static bool has_wrong_id(const struct pixels *p, const struct class_set *classes)
{
	for (size_t i = 0; i < p->levels && !p->coloured; i++)
		if (class_set_role(classes, p->v[i].value) == ID_INVALID)
			return true;
	return false;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

/* Turns n bytes of a row into values, one for each pixel. Returns how many. */
static size_t values_of_row(const struct png_header *png, const uint8_t *row, size_t n, uint32_t *out, bool *coloured)
{
	const unsigned depth = png->bit_depth, wide = depth / 8, step = png->channels * wide;
	size_t count = 0;

	if (depth == 8 && step == 1) {
		for (; count < n && count < png->width; count++)
			out[count] = row[count];
		return count;
	}
	for (size_t i = 0; depth < 8 && i < n; i++)
		for (unsigned shift = 8; shift >= depth && count < png->width; shift -= depth)
			out[count++] = row[i] >> (shift - depth) & ((1u << depth) - 1);
	for (size_t i = 0; depth >= 8 && i + step <= n && count < png->width; i += step) {
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

/* Looks at the rows of an open picture, as far as they are at hand, and closes it. */
static void look_at_rows(struct raster *raster, const struct class_set *classes, struct look *out)
{
	const struct png_header *png = &raster->header;
	const uint64_t stride = MAX(png->height / ROWS_COUNTED, 1u);
	struct fault ignored = FAULT_INIT;
	FREED struct pixels *p = xcalloc(1, sizeof(*p));
	FREED uint8_t *row = raster->row_bytes <= INFLATED_BYTES ? xmalloc(raster->row_bytes + 8) : NULL;
	FREED uint32_t *values = row ? xmalloc((8 * raster->row_bytes + 8) * sizeof(*values)) : NULL;
	size_t read = 0;

	for (uint64_t y = 0; row && y < png->height && read < INFLATED_BYTES; y++) {
		if (!raster->row(raster->self, row, &ignored) || (read >= SURE_BYTES && y % stride == 0 && is_sure(p)))
			break;
		if (y % stride == 0)
			add_pixels(p, values, values_of_row(png, row, raster->row_bytes, values, &p->coloured));
		read += raster->row_bytes;
	}
	out->pixel_bytes = read;
	out->content = judge_pixels(p, png->bit_depth, png->colour_type == PNG_PALETTE);
	/* sixteen bits in instances/ or depth/ are what such folders hold */
	out->wrong_id = out->content == LOOK_MASK && png->bit_depth <= 8 && has_wrong_id(p, classes);
	raster->close(raster->self);
}

static void look_at_picture(const struct entry *entry, const struct entry_probe *probe, const struct settings *settings,
			    struct look *out)
{
	const struct file_head *head = &probe->head;
	const bool on_disk = probe->file.fd >= 0 && !probe->is_packed;
	struct fault ignored = FAULT_INIT;
	RELEASED struct strbuf window = STRBUF_INIT;
	struct raster raster = { 0 };
	struct input input;
	bool opened = false;

	input_init(&input);
	if (head->content == CONTENT_PNG) {
		if (on_disk && head->n == PEEK_BYTES)
			head_raster_read(probe->file.fd, head->head, head->n, &window);
		opened = window.len ? head_raster_open(&raster, (const uint8_t *)window.s, window.len)
			 : entry->member && !probe->is_packed
				 ? head_raster_open(&raster, entry->bytes, entry->bytes_len)
				 : head_raster_open(&raster, head->head, head->n);
	} else {
		if (entry->member)
			input_from_memory(&input, entry->bytes, entry->bytes_len);
		if (entry->member || (!probe->is_packed && input_open(&input, entry->dirfd, entry->name, &ignored)))
			opened = raster_open(&raster, head->content, &input, VIEW_PIL, &ignored);
	}
	if (opened && raster.array[0]) {
		out->content = strchr(raster.array, 'f') ? LOOK_FLOATS : LOOK_ARRAY;
		raster.close(raster.self);
	} else if (opened) {
		look_at_rows(&raster, &settings->classes, out);
	}
	out->wrong_id &= head->content == CONTENT_PNG;
	input_release(&input);
}

/* ---- volumes ------------------------------------------------------------------------------------------------------
 */

/*
 * Counts voxels of an open volume: from its middle on, or, of one that cannot seek, in what comes first. Returns
 * whether they have more values than labels have.
 */
static bool is_measured(struct input *in, bool can_seek, const struct limits *limits)
{
	struct array_header array = { .dtype = DTYPE_NONE };
	struct fault ignored = FAULT_INIT, warning = FAULT_INIT;
	FREED uint8_t *bytes = xmalloc(VOXEL_BYTES);
	FREED uint32_t *values = xmalloc(VOXEL_BYTES * sizeof(*values));
	FREED struct pixels *p = xcalloc(1, sizeof(*p));
	bool open = volume_read_header(in, limits, &array, &warning, &ignored);
	const unsigned width = dtype_bytes((enum array_dtype)array.dtype);

	can_seek &= input_can_rewind(in);
	size_t left = can_seek ? INFLATED_BYTES / 16 : INFLATED_BYTES;

	if (open && can_seek)
		open = input_seek(in, array.data_at + array.elements / 2 * width, &ignored);
	for (int64_t n = 1; open && n > 0 && left >= VOXEL_BYTES && p->levels <= GREY_LEVELS; left -= VOXEL_BYTES) {
		n = input_read(in, bytes, VOXEL_BYTES, &ignored);
		size_t count = 0;

		/* of little, such as the head of an archive's member, all */
		const int64_t step = n < VOXEL_BYTES ? width : (int64_t)VOXEL_STEP * width;

		for (int64_t i = 0; i + width <= n; i += step) {
			uint64_t bits = 0;

			memcpy(&bits, bytes + i, width);
			values[count++] = (uint32_t)(bits ^ bits >> 32);
		}
		add_pixels(p, values, count);
	}
	return p->levels > GREY_LEVELS;
}

static bool look_at_voxels(const struct entry *entry, const struct settings *settings)
{
	struct fault ignored = FAULT_INIT;
	const uint8_t *head;
	uint8_t room[PEEK_BYTES];
	struct input in;
	bool measured;

	input_init(&in);
	if (entry->member) { /* its first bytes are at hand */
		uint8_t *unpacked = xmalloc(INFLATED_BYTES);
		const int64_t n = unpack_head(entry->bytes, entry->bytes_len, unpacked, INFLATED_BYTES, &ignored);

		input_from_memory(&in, n > 0 ? unpacked : entry->bytes, n > 0 ? (size_t)n : entry->bytes_len);
		measured = is_measured(&in, false, &settings->limits);
		free(unpacked);
	} else {
		measured = input_open(&in, entry->dirfd, entry->name, &ignored) &&
			   input_unpack(&in, room, &head, &settings->limits, &ignored) > 0 &&
			   is_measured(&in, true, &settings->limits);
	}
	input_release(&in);
	return measured;
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

/*
 * Adds of each row the first word that is the name of an image, or, of a list, else its first word. Returns the number
 * of rows; all: adds all names of images, as of JSON and XML, where a word is what is quoted.
 */
static uint64_t add_row_names(struct look *out, const char *s, size_t n, bool all)
{
	const char *signs = all ? "\"<>'\n" : ",;\t |\r\"\n", *end = s + n, *first = NULL;
	size_t first_n = 0;
	uint64_t rows = 0;
	bool found = false;

	for (const char *p = s, *to; p < end; p = to + 1) {
		char name[NAME_MAX + 1] = "";

		for (to = p; to < end && !strchr(signs, *to);)
			to++;
		const size_t len = MIN((size_t)(to - p), (size_t)NAME_MAX);

		memcpy(name, p, len);
		if ((all || !found) && is_image_name(name)) {
			add_name(out, p, len);
			found = true;
		} else if (!first && len) {
			first = p;
			first_n = len;
		}
		if (to == end || *to != '\n')
			continue;
		if (!all && !found && first && rows)
			add_name(out, first, first_n);
		rows++;
		first = NULL;
		found = false;
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
	else
		count = add_row_names(out, text, n, out->content == LOOK_UNREAD);
	if (out->content == LOOK_UNREAD)
		count = out->names_count;
	if (count)
		out->amount = MAX((uint64_t)((double)count * ((double)size / (double)n)), (uint64_t)1);
	free(room);
}

bool look_has_annotations(const struct file_head *f)
{
	static const char *const keys[] = {
		"\"shapes\"",       "\"annotations\"",     "\"category_id\"",
		"\"regions\"",      "\"objects\"",         "\"label\"",
		"\"segmentation\"", "\"labels\"",          "\"bbox\"",
		"\"class\"",        "\"boxes\"",           "\"category\"",
		"\"lanes\"",        "\"rectanglelabels\"", "\"ground_truth\"",
		"\"gtboxes\"",      "\"instances\"",       "\"form\"",
	};
	static const char *const settings[] = { "\"file_ending\"", "\"numTraining\"", "\"channel_names\"",
						"\"features\"",    "\"nbformat\"",    "\"id2label\"",
						"\"score\"" };

	if (memmem(f->head, f->n, "\"FeatureCollection\"", 19)) /* GeoJSON, whose key is "features", too */
		return true;
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

/* Returns whether a file has the name of a stream of ids, and it is known of what type they are. */
static bool is_named_stream(const struct entry *entry, const struct settings *settings)
{
	const char *name = file_name_of(entry->member ? entry->member : entry->path);
	char plain[NAME_MAX + 1];

	snprintf(plain, sizeof(plain), "%.*s", (int)(strlen(name) - packing_length(name)), name);
	return is_token_name(plain) && (settings->list.dtype || (!entry->member && has_token_type(entry->path)));
}

bool is_token_stream(const struct entry *entry, const struct file_head *head, const struct settings *settings)
{
	return head->content == CONTENT_TOKENS ||
	       ((head->content == CONTENT_UNKNOWN || head->content == CONTENT_IDX) &&
		((settings->list.dtype && head->is_explicit) || is_named_stream(entry, settings)));
}

enum file_kind entry_file_kind(const struct entry *entry, const struct settings *settings)
{
	return is_named_stream(entry, settings)
		       ? FILE_ARRAY
		       : file_kind_of(file_name_of(entry->member ? entry->member : entry->path));
}

/* Says what an array is by its header: of floats, of images, which have four axes. */
static enum content_look look_at_array(const struct file_head *head)
{
	enum { IMAGE_AXES = 4 };
	const char *text = (const char *)head->head, *end = text + head->n,
		   *shape = memmem(text, head->n, "'shape':", 8);
	unsigned axes = 0;

	for (const char *p = shape; p && p < end && *p != ')'; p++)
		axes += ascii_isdigit(*p) && !ascii_isdigit(p[-1]);
	return axes >= IMAGE_AXES                                                   ? LOOK_VOLUME
	       : memmem(text, head->n, "'<f", 3) || memmem(text, head->n, "'>f", 3) ? LOOK_FLOATS
										    : LOOK_ARRAY;
}

/*
 * Returns whether a text is the split of a set whose images have numbers for names: train.txt, each number once. Never
 * in a folder named labels, where a few labels that differ are no names.
 */
static bool is_split_of_names(const struct file_head *head, const struct text_look *text)
{
	static const char labels[] = "labels";
	const char *folder = path_find_folder(head->path, labels);

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
	const struct text_look *text = probe_text(probe, settings);

	*out = (struct look){ .content = LOOK_TEXT,
			      .amount = 1,
			      .is_test = is_test,
			      .width = (unsigned)text->columns,
			      .is_asked = text->kind == TEXT_IS_TABLE && (text->columns > 1 || text->lists),
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
	probe->head.is_stream = is_token_stream(entry, head, settings);
	if (head->is_stream) {
		out->content = LOOK_ARRAY;
		return;
	}
	if (head->content == CONTENT_NUMPY) {
		out->content = look_at_array(head);
		return;
	}
	if (head->content == CONTENT_VOLUME) {
		out->content = LOOK_ARRAY;
		out->measured = further && look_at_voxels(entry, settings);
		return;
	}
	if (content_is_photo(head->content)) {
		out->content = LOOK_PHOTO;
		return;
	}
	const struct label_format *format = format_recognise(head, ~(KIND_BIT(KIND_MASK) | KIND_BIT(KIND_ARRAY)));

	if (!format && further && has_coco_further_on(entry, probe))
		format = format_get(FORMAT_COCO);
	if (is_name_of_notes(head->name))
		out->content = text_is_multi_label(head->name, head->head, head->n) ? LOOK_LIST : LOOK_TEXT;
	else if (format && format->kind == KIND_LIST)
		out->content = !table_has_labels(head, text, settings->list.column) &&
					       !(text->boxes && id_ranges_size(&settings->classes.classes) == 1)
				       ? LOOK_TABLE
			       : is_split_of_names(head, text) ? LOOK_TEXT
							       : LOOK_LIST;
	else if (format)
		out->content = format->kind == KIND_YOLO   ? LOOK_YOLO
			       : format->kind == KIND_COCO ? LOOK_COCO
			       : format->kind == KIND_IDX  ? LOOK_IDX
							   : LOOK_TEXT;
	else if (unread_kind_is_doubtful(unread)) {
		out->content = LOOK_BYTES;
		out->unread = unread;
	} else if (unread != UNREAD_NONE)
		set_unread(out, unread);
	else if (head->content == CONTENT_XML ||
		 (head->content == CONTENT_TEXT && head->n && head->head[0] == '<' &&
		  file_name_ends_in(head->name, ".xml")) ||
		 (head->content == CONTENT_JSON && look_has_annotations(head)))
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
	const enum content content = probe->head.content;

	if (content == CONTENT_PNG || content == CONTENT_BMP || content == CONTENT_GIF ||
	    (content == CONTENT_TIFF && TIFF_IS_BUILT_IN))
		look_at_picture(entry, probe, settings, out);
	else
		look_at_head(entry, probe, settings, true, out);
}
