#include "judge/one_channel.h"

#include <string.h>

#include "base/mem.h"
#include "judge/colours.h"

bool one_channel_init(struct one_channel *one, const struct rule_input *s)
{
	const struct label_stats *stats = s->stats;

	if (s->sample->status != SAMPLE_READ || s->sample->format != FORMAT_PNG || !stats->colours ||
	    s->sample->png.bit_depth != 8 || channels_use(s) != CHANNELS_REPLICATED || !stats->ids_count ||
	    stats->ids_count > ARRAY_SIZE(one->ids))
		return false;
	one->sample = *s->sample;
	one->sample.png.colour_type = PNG_GREY;
	one->sample.png.channels = 1;
	memset(&one->stats, 0, sizeof(one->stats));
	one->stats.labels = stats->channels.pixels;
	one->stats.width = stats->width;
	one->stats.height = stats->height;
	one->stats.ids_count = stats->ids_count;
	for (size_t i = 0; i < stats->ids_count; i++) {
		unsigned id = (unsigned)s->ids[i].id & 255;

		one->ids[i] = (struct id_stats){ .id = id, .labels = s->ids[i].labels, .first_index = NO_INDEX };
		one->stats.raw_used[id / 64] |= UINT64_C(1) << id % 64;
	}
	one->stats.min = one->ids[0].id;
	one->stats.max = one->ids[stats->ids_count - 1].id;
	one->input = *s;
	one->input.sample = &one->sample;
	one->input.stats = &one->stats;
	one->input.ids = one->ids;
	return true;
}
