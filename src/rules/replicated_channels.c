/*
 * Error message
 *   RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 4
 *
 * What it finds
 *   Masks with several channels that are equal everywhere (an alpha channel may be constant): grey saved as RGB or
 *   RGBA.
 *
 * Why it matters
 *   np.array(Image.open(f)) has the shape (H, W, 3), but the loss needs (H, W). Loaders that convert to grey get the
 *   right ids, others do not.
 *
 * Example
 *   masks/0001.png: error replicated-channels: 3 equal channels; one of them holds ids 0-4
 *
 * What to do
 *   Keep one channel: `Image.fromarray(np.array(Image.open(f))[..., 0]).save(f)`.
 */
#include "judge/check.h"
#include "judge/colours.h"

/* Lists the ids of one channel. 16-bit colours are kept without their low bytes, so they have none. */
static void list_ids(const struct rule_input *s, struct finding *f)
{
	int64_t ids[256] = { 0 };
	size_t n = 0, invalid = 0;

	for (size_t i = 0; i < s->stats->ids_count && n < 256; i++) {
		ids[n] = s->ids[i].id & 255;
		invalid += settings_role(s->settings, ids[n]) == ID_INVALID;
		n++;
	}
	say(f, "; one of them holds %s %s", plural(n, "id", "ids"), text_ids(ids, n).s);
	if (invalid)
		say(f, ", %zu of them out of range; %s", invalid, text_valid_ids(s->settings).s);
}

/* Returns whether the ids are 0 and 255, where 255 is invalid and 1 is a class. */
static bool is_black_and_white(const struct rule_input *s)
{
	const struct settings *settings = s->settings;
	uint64_t n = s->stats->ids_count;

	return channels_layout(s).bits == 8 && n && n <= 2 && (s->ids[n - 1].id & 255) == 255 &&
	       (n == 1 || !s->ids[0].id) && settings_role(settings, 255) == ID_INVALID &&
	       settings_role(settings, 1) == ID_CLASS && settings_class_count(settings) == 2;
}

static bool check(const struct rule_input *s, struct finding *f)
{
	struct channel_layout layout = channels_layout(s);

	if (channels_use(s) != CHANNELS_REPLICATED)
		return false;
	if (layout.channels == 2)
		say(f, "grey and a constant alpha");
	else
		say(f, "%u equal channels%s", layout.channels - layout.alpha,
		    layout.alpha ? " and a constant alpha" : "");
	if (s->stats->ids_count && layout.bits <= 8)
		list_ids(s, f);
	if (is_black_and_white(s))
		advise(f, "keep one channel, and write 1 for 255: (%s[..., 0] == 255).astype(np.uint8)", layout.load);
	else
		advise(f, "keep one channel: %s[..., 0]", layout.load);
	return true;
}

const struct rule rule_replicated_channels = {
	RULE("replicated-channels", "encoding", LEVEL_ERROR, "several equal channels where one is expected"),
	.repair = REPAIR_EXACT,
	.facts_needed = FACTS_CHANNELS,
	.check_file = check,
};
