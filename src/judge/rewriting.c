#include "judge/rewriting.h"

#include <string.h>

#include "base/file_name.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/png_header.h"
#include "find/member.h"
#include "judge/colours.h"
#include "judge/role.h"

/* ---- texts and arrays -------------------------------------------------------------------------------------------- */

/* These set r->of_ids where the ids alone cannot be rewritten, and boxes can. */

static const char *list_obstacle(const struct rule_input *s, struct rewriting *r)
{
	const struct list_layout *layout = &s->sample->list;
	const struct row_tally *faults = s->stats->list.faults;

	if (faults[LIST_NUL].rows || faults[LIST_QUOTE].rows)
		return "has rows that programs read in different ways";
	if (faults[LIST_RAGGED].rows)
		return "has rows with more or fewer columns than the first";
	r->of_ids = true;
	if (faults[LIST_NOT_INTEGER].rows || faults[LIST_OVERFLOW].rows)
		return "has labels that are no ids";
	return layout->names ? "names its classes: their ids are not in it" : NULL;
}

static const char *yolo_obstacle(const struct rule_input *s, struct rewriting *r)
{
	r->of_ids = true;
	return s->stats->boxes.faults[BOX_CLASS].rows ? "has classes that are no ids" : NULL;
}

static const char *coco_obstacle(const struct rule_input *s, struct rewriting *r)
{
	const struct coco_stats *coco = &s->stats->coco;
	const struct coco_trouble_count *trouble = coco->facts.trouble;

	r->of_ids = !trouble[COCO_SAME_KEY].count && !trouble[COCO_NOT_AN_OBJECT].count;
	if (trouble[COCO_UNKNOWN_CATEGORY].count || trouble[COCO_SAME_CATEGORY].count)
		return "has annotations of no category, or one category twice";
	if (trouble[COCO_BAD_ID].count || trouble[COCO_SAME_KEY].count || trouble[COCO_NOT_AN_OBJECT].count)
		return "has ids that are no integers, or keys twice";
	if (coco->listed > s->sample->coco->listed_count)
		return "lists more categories than are compared";
	if (coco->renamed)
		return "names categories differently from the classes that they would become";
	if (coco->mapping == COCO_MAPPED_WITHOUT_DUMMY)
		return "has a category 0 that means nothing: remove it first";
	return NULL;
}

static const char *const containers[] = {
	[FORMAT_BMP] = "is a BMP: convert it to PNG first",
	[FORMAT_GIF] = "is a GIF: convert it to PNG first",
	[FORMAT_TIFF] = "is a TIFF of several pages or bands, or of signed or wide samples: write it as .npy first",
};

static const char *array_obstacle(const struct rule_input *s, struct rewriting *r)
{
	(void)r;
	const struct array_header *array = &s->sample->array;

	if (s->sample->container)
		return containers[s->sample->container];
	if (s->stats->colours || s->stats->coded)
		return "is an array of colours";
	if (s->stats->array.use == ARRAY_ONE_HOT)
		return "is one-hot: take the index of the class with NumPy, a.argmax(axis)";
	if (s->stats->array.use != ARRAY_IDS || s->stats->array.beyond)
		return "holds values that are no ids";
	if (s->sample->format == FORMAT_IDX && array->dtype >= DTYPE_FLOAT16)
		return "holds floats in IDX: save them as .npy first";
	return NULL;
}

/* ---- masks ------------------------------------------------------------------------------------------------------- */

/* Fills how the mask holds its ids. Returns why it cannot be fixed, or NULL. */
static const char *judge_encoding(const struct rule_input *s, struct rewriting *r)
{
	const struct png_header *png = &s->sample->png;

	if (s->sample->container && s->sample->container != FORMAT_TIFF)
		return containers[s->sample->container];
	if (s->sample->container && s->settings->nearest_colours)
		return "is a TIFF, and --nearest is for PNG: convert it first";
	if (s->settings->view == VIEW_CV2 && (png->colour_type != PNG_GREY || png->bit_depth != 8))
		return "its ids are those of the cv2 view, of which several samples may become one";
	r->kind = FIX_PNG;
	if (s->stats->coded || (s->settings->nearest_colours && png->channels >= 3)) {
		r->encoding = MASK_COLOURS;
		return NULL;
	}
	if (!s->stats->colours)
		return NULL;
	switch (channels_use(s)) {
	case CHANNELS_REPLICATED:
		r->encoding = MASK_REPLICATED;
		return png->bit_depth == 8 ? NULL : "has equal channels of 16 bits: keep one of them first";
	case CHANNELS_ONE_HOT:
		return "is one-hot by its channels: declare them as colours (--colors), or take the index of the "
		       "channel first";
	default:
		return "holds colours, and no table declares their ids (--colors)";
	}
}

/* The formats beside images that are rewritten. */
static const struct {
	enum fix_kind kind; /* FIX_NONE: it is not */
	const char *(*obstacle)(const struct rule_input *s, struct rewriting *r);
} formats[] = {
	[FORMAT_LIST] = { FIX_LIST, list_obstacle },  [FORMAT_YOLO] = { FIX_YOLO, yolo_obstacle },
	[FORMAT_COCO] = { FIX_COCO, coco_obstacle },  [FORMAT_NPY] = { FIX_ARRAY, array_obstacle },
	[FORMAT_IDX] = { FIX_ARRAY, array_obstacle },
};

/* Returns the factor between samples and ids. */
static int64_t scale_of(const struct rule_input *s)
{
	const struct png_header *png = &s->sample->png;

	if (s->sample->format != FORMAT_PNG || png->colour_type != PNG_GREY || s->settings->view != VIEW_PIL)
		return 1;
	return png->bit_depth == 2 ? 85 : png->bit_depth == 4 ? 17 : 1;
}

static unsigned recodings_of_mask(const struct rule_input *s, const struct rewriting *r)
{
	const struct png_header *png = &s->sample->png;

	switch (r->encoding) {
	case MASK_REPLICATED:
		return 1 << RECODE_ONE_CHANNEL;
	case MASK_COLOURS:
		return 1 << RECODE_COLOURS;
	default:
		break;
	}
	if (png->colour_type == PNG_PALETTE)
		return 1 << RECODE_STRIP;
	if (png->colour_type != PNG_GREY)
		return 0;
	return png->bit_depth == 16 ? 1 << RECODE_NARROW : png->bit_depth < 8 ? 1 << RECODE_EXPAND : 0;
}

static unsigned recodings_of_array(const struct rule_input *s)
{
	const struct array_header *array = &s->sample->array;

	if (s->sample->format == FORMAT_IDX)
		return 0;
	if (array->dtype >= DTYPE_FLOAT16 || array->dtype == DTYPE_BOOL)
		return 1 << RECODE_INTEGERS;
	/* lists of labels are int64 */
	return array->rank > 1 && dtype_bytes((enum array_dtype)array->dtype) > 1 ? 1 << RECODE_NARROW : 0;
}

static unsigned recodings_of_coco(const struct coco_map *map)
{
	for (size_t i = 0; i < map->listed_count; i++)
		if (map->entries[i].id != map->entries[i].class_id)
			return 1 << RECODE_CATEGORIES;
	return 0;
}

static unsigned recodings_of(const struct rule_input *s, const struct rewriting *r)
{
	switch (r->kind) {
	case FIX_PNG:
		return recodings_of_mask(s, r);
	case FIX_ARRAY:
		return recodings_of_array(s);
	case FIX_COCO:
		return recodings_of_coco(s->sample->coco);
	case FIX_YOLO:
		return s->stats->boxes.faults[BOX_NAME].rows ? 1 << RECODE_NAMES : 0;
	default:
		return 0;
	}
}

const char *rewriting_of(const struct rule_input *s, struct rewriting *r)
{
	enum sample_format format = s->sample->format;
	const char *why;

	*r = (struct rewriting){ .kind = FIX_NONE, .scale = scale_of(s) };
	if (GUARD(members_of_one_name, s->sample->member_flaws.repeated || s->sample->member_flaws.name_cut))
		return REWRITTEN_NAME_TWICE;
	if (s->sample->member &&
	    GUARD(member_out_of_the_result, member_name_flaw(s->sample->member, strlen(s->sample->member)) != NULL))
		return REWRITTEN_UNSAFE;
	if (format == FORMAT_PNG) {
		why = judge_encoding(s, r);
	} else if (format < ARRAY_SIZE(formats) && formats[format].kind) {
		r->kind = formats[format].kind;
		why = formats[format].obstacle(s, r);
	} else {
		why = "is of a format that is not rewritten";
	}
	if (!why)
		r->recodings = recodings_of(s, r);
	if (s->settings->nearest_colours && r->encoding == MASK_COLOURS)
		return why;
	return why || s->stats->ids_count <= REWRITTEN_IDS_MAX ? why : REWRITTEN_IDS_TOO_MANY;
}

bool rewriting_has_boxes(const struct rule_input *s)
{
	const struct sample *sample = s->sample;
	struct rewriting r;

	if (sample->status != SAMPLE_READ || (sample->format == FORMAT_LIST && !sample->list.boxes))
		return false;
	return (!rewriting_of(s, &r) || r.of_ids) &&
	       (r.kind == FIX_LIST || r.kind == FIX_YOLO ||
		(r.kind == FIX_COCO && !s->stats->coco.facts.panoptic)); /* boxes of segments stay */
}

const char *rewriting_packing(const struct rule_input *s, const struct input *input, bool *packed)
{
	const struct sample *sample = s->sample;
	const char *name = sample->member ? sample->member : sample->path;

	/* a packed file may have the size of what it holds */
	*packed = packing_length(name) || (!sample->container && input->size != sample->file_bytes);
	if (sample->member && !input->bytes)
		return "is a large member of an archive: unpack it first";
	if (!*packed)
		return NULL;
	if (sample->container)
		return "is a packed TIFF: unpack it first";
	/* both forms are held */
	return input->bytes && sample->file_bytes <= INPUT_WHOLE_MAX ? NULL : "is packed, and large: unpack it first";
}

const char *rewriting_archive(const struct rule_input *s)
{
	const struct archive_facts *facts = s->sample->archive;

	if (GUARD(archive_read_in_two_ways, facts->flaws.len))
		return "is an archive that readers may take for another: unpack it first";
	return facts->links || facts->devices || facts->unsafe_names
		       ? "is an archive with links, devices or names that lead out of it: unpack it first"
		       : NULL;
}

bool rewriting_has_names(const struct rule_input *s)
{
	return s->sample->format == FORMAT_FOLDER || (s->sample->format == FORMAT_LIST && s->sample->list.names);
}

int64_t rewriting_id(const struct rule_input *s, const struct rewriting *r, size_t i, uint64_t *labels)
{
	*labels = s->ids[i].labels;
	return r->encoding == MASK_REPLICATED ? s->ids[i].id & 0xff : s->ids[i].id;
}
