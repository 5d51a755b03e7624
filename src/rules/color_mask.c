/*
 * Error message
 *   RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 4
 *
 * What it finds
 *   Masks with several channels that differ: classes painted as colours, overlays, renderings, photographs. The finding
 *   reports the number of colours and whether they are those of a known dataset (PASCAL VOC, Cityscapes), also with red
 *   and blue exchanged. It also covers masks whose alpha channel is not constant, and arrays [H, W, 3] and [N, H, W, 3]
 *   of bytes that are not ids.
 *
 * Why it matters
 *   A loss needs one id per pixel. Converted to grey, colours become arbitrary ids, two of which may even coincide;
 *   read as three channels, they break the shape of the target.
 *
 * Example
 *   masks/0001.png: error color-mask: 3 colours instead of ids: #000000, #24b353, #2a7dd1
 *
 * What to do
 *   Map each colour to its id, with one table for the whole set, not in the order in which they occur in one file:
 *   `ids[(rgb == (42, 125, 209)).all(-1)] = 1`. If there are thousands of colours they cannot be mapped: export the
 *   mask again from its annotation. If half of them are rare, the mask may have been resized, warped, blurred or drawn
 *   anti-aliased in its colours, or saved as JPEG: then make it again with nearest. The PNGs of COCO panoptic hold
 *   segment ids, R + 256 G + 65536 B: audit their JSON.
 *
 *   With --view cv2 masks are audited in grey as cv2.imread(f, 0) makes them; this rule is then silent.
 */

#include "judge/check.h"
#include "judge/colours.h"
#include "judge/interpolation.h"

/* Colours in a message and in a map. */
enum { SAID_MAX = 8, MAPPED_MAX = 64 };
/* No data set encodes more classes as colours; ADE20K full has some 3000, but no colour table. */
enum { CODE_MAX = 256 };
enum { VOID = 255 };

/* The palette that the colours are from, if it is known. */
struct code {
	const struct known_palette *palette; /* or NULL */
	bool swapped;                        /* with red and blue exchanged */
};

static int64_t code_id(const struct code *code, uint32_t colour)
{
	return code->palette->id_of(code->swapped ? colour_swapped(colour) : colour);
}

static void list_colours(const struct rule_input *s, struct finding *f, const struct code *code)
{
	uint64_t n = s->stats->ids_count;

	for (uint64_t i = 0; i < n && i < SAID_MAX; i++)
		say(f, "%s#%06" PRIx64, i ? ", " : ": ", (uint64_t)s->ids[i].id);
	if (n > SAID_MAX)
		say(f, " and %" PRIu64 " more", n - SAID_MAX);
	for (uint64_t i = 0; i < n && n <= MAPPED_MAX; i++) { /* a part of a map would map the rest to 0 */
		text_addf(&f->details.map, "%s#%06" PRIx64, i ? ", " : "", (uint64_t)s->ids[i].id);
		if (code->palette)
			text_addf(&f->details.map, " -> %" PRId64, code_id(code, (uint32_t)s->ids[i].id));
		else
			text_addf(&f->details.map, " (%" PRIu64 ")", s->ids[i].labels);
	}
}

/* Only the path distinguishes segment ids from colours that somebody chose. */
static bool is_called_panoptic(const struct rule_input *s)
{
	return strcasestr(s->sample->path, "panoptic") ||
	       (s->sample->member && strcasestr(s->sample->member, "panoptic"));
}

/*
 * How certain it is that the colours are of a palette, since palettes share colours. It is named if its ids are
 * declared, or if all of at least four colours are of its own classes. With red and blue exchanged, many colours of VOC
 * are such colours again: then at least three must be there, black included, and declared ids count only with these.
 */
enum belief { BELIEF_NONE, BELIEF_OWN, BELIEF_DECLARED };

static enum belief belief_in(const struct rule_input *s, const struct code *code)
{
	enum { COLOURS_MIN = 4, SWAPPED_MIN = 3 };
	uint64_t n = s->stats->ids_count;
	bool declared = !code->swapped || n >= SWAPPED_MIN, own = n >= COLOURS_MIN;

	for (uint64_t i = 0; i < n; i++) {
		int64_t id = code_id(code, (uint32_t)s->ids[i].id);

		declared &= id == VOID || settings_role(s->settings, id) != ID_INVALID;
		own &= id == VOID || id < (int64_t)code->palette->classes;
	}
	return declared ? BELIEF_DECLARED : own ? BELIEF_OWN : BELIEF_NONE;
}

static struct code code_of(const struct rule_input *s)
{
	struct code found = { NULL, false };
	enum belief belief = BELIEF_NONE;

	if (channels_layout(s).bits > 8)
		return found;
	for (int swapped = 0; swapped < 2; swapped++) {
		struct code code = { known_palette_match(s->ids, s->stats->ids_count, swapped), swapped };

		if (code.palette && belief_in(s, &code) > belief) {
			belief = belief_in(s, &code);
			found = code;
		}
	}
	return found;
}

/* Returns the only channel in use (0: red) if all its values are declared or ignored ids; else -1. */
static int channel_of_ids(const struct rule_input *s)
{
	int64_t used = 0;

	for (uint64_t i = 0; i < s->stats->ids_count; i++)
		used |= s->ids[i].id;
	int channel = !(used & 0x00ffff) ? 0 : !(used & 0xff00ff) ? 1 : !(used & 0xffff00) ? 2 : -1;

	for (uint64_t i = 0; channel >= 0 && i < s->stats->ids_count; i++)
		if (settings_role(s->settings, s->ids[i].id >> (16 - 8 * channel)) == ID_INVALID)
			return -1;
	return channel;
}

static void add_advice(const struct rule_input *s, struct finding *f, const struct code *code)
{
	if (!code->palette && is_called_panoptic(s)) {
		advise(f, "COCO panoptic PNGs hold segment ids, R + 256 G + 65536 B, not classes: audit their JSON, "
			  "which gives each segment its category");
		return;
	}
	int channel = channels_layout(s).bits <= 8 && !code->palette ? channel_of_ids(s) : -1;

	if (channel >= 0) {
		static const char *const names[] = { "red", "green", "blue" };

		advise(f, "the ids are in the %s channel alone: keep that, %s[..., %d]", names[channel],
		       channels_layout(s).load, channel);
		return;
	}
	if (code->palette && !code->swapped && !sample_is_array(s->sample)) {
		bool ignored = true; /* what is void */

		for (size_t i = 0; i < s->stats->ids_count; i++)
			ignored &= code_id(code, (uint32_t)s->ids[i].id) != VOID ||
				   settings_role(s->settings, VOID) != ID_INVALID;
		advise(f,
		       "they are the colours of %s: with --colors %s%s masks are read by them, and labelaudit fix "
		       "writes their ids",
		       code->palette->name, code->palette->preset, ignored ? "" : " --ignore 255");
		return;
	}
	if (code->palette)
		advise(f, "they are the colours of %s%s: ", code->palette->name,
		       code->swapped ? " with red and blue exchanged (cv2.imwrite takes BGR)" : "");
	advise(f,
	       sample_is_array(s->sample)
		       ? "map each colour to its id, with one table of all colours for the whole set"
		       : "name all colours of the set in one table, --colors 0=#000000,1=#800000,... or a file of it; "
			 "then masks are read by it, and labelaudit fix writes their ids");
}

/* Returns how many colours have fewer than one pixel in 1,000, if they are half of all; else 0. */
static size_t rare_colours(const struct rule_input *s)
{
	enum { SHARE = 1000, RARE_MIN = 8 };
	size_t rare = 0;

	for (size_t i = 0; i < s->stats->ids_count; i++)
		rare += s->ids[i].labels < s->stats->channels.pixels / SHARE;
	return rare >= RARE_MIN && 2 * rare >= s->stats->ids_count ? rare : 0;
}

/* A photograph gets one finding: image-as-mask, unless that is off. */
static bool is_photograph(const struct rule_input *s)
{
	const struct rule *rule = rule_find("image-as-mask");
	struct finding cause;

	if (!s->stats->channels.colours_cut || s->settings->rules.levels[rule_index(rule)] == LEVEL_OFF)
		return false;
	finding_init(&cause, rule);
	return rule_check_file(rule, s, &cause);
}

/* The mask in an alpha channel gets one finding: mask-in-alpha, unless that is off. */
static bool is_in_alpha(const struct rule_input *s)
{
	return mask_is_in_alpha_channel(s) &&
	       s->settings->rules.levels[rule_index(rule_find("mask-in-alpha"))] != LEVEL_OFF;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	const struct channel_stats *c = &s->stats->channels;

	if (channels_use(s) != CHANNELS_COLOURS || is_photograph(s) || is_in_alpha(s))
		return false;
	if (!c->unequal_pixels) {
		say(f,
		    "grey with an alpha that varies from %" PRIu32 " to %" PRIu32
		    ": two channels, of which only one can hold the ids",
		    c->alpha_min, c->alpha_max);
		return advise(f, "check which one does, and keep only that: np.array(Image.open(f))[..., -1] is alpha");
	}
	if (s->settings->colours.count && !sample_is_array(s->sample) && c->alpha_min != c->alpha_max) {
		say(f,
		    "alpha varies from %" PRIu32 " to %" PRIu32
		    ", so the %s are not read by the table: a transparent pixel shows no colour",
		    c->alpha_min, c->alpha_max, plural(s->stats->ids_count, "colour", "colours"));
		return advise(f, "if the colours of transparent pixels are right, drop alpha: "
				 "Image.open(f).convert('RGB').save(f)");
	}
	if (c->colours_cut || s->stats->ids_count > CODE_MAX) {
		say(f, "%s%" PRIu64 " colours: a rendering, an overlay or a photograph, not ids",
		    c->colours_cut ? "more than " : "", c->colours_cut ? (uint64_t)COLOURS_MAX : s->stats->ids_count);
		return advise(f,
			      "too many colours to be mapped back: export the mask again from its annotation, as ids");
	}

	struct code code = code_of(s);
	size_t rare = code.palette || is_called_panoptic(s) ? 0 : rare_colours(s);

	say(f, "%" PRIu64 " %s instead of ids", s->stats->ids_count, plural(s->stats->ids_count, "colour", "colours"));
	list_colours(s, f, &code);
	if (rare) {
		say(f, "; %zu of them have fewer than one pixel in 1,000 each", rare);
		advise(f, "if it was resized, smoothed or once a JPEG, make it again from its source, as ids, and "
			  "resize these with nearest: " INTERPOLATION_REMEDY "; else ");
	}
	if (s->stats->ids_count)
		add_advice(s, f, &code);
	return true;
}

const struct rule rule_color_mask = {
	RULE("color-mask", "encoding", LEVEL_ERROR, "colours where ids are expected"),
	.facts_needed = FACTS_CHANNELS,
	.check_file = check,
};
