#include "judge/one_channel.h"

#include <string.h>

#include "base/mem.h"
#include "judge/colours.h"
#include "judge/interpolation.h"

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
	one->stats.neighbours = stats->neighbours;
	memcpy(one->stats.edges, stats->edges, sizeof(stats->edges));
	memcpy(one->stats.wide_edges, stats->wide_edges, sizeof(stats->wide_edges));
	memcpy(one->stats.long_between, stats->long_between, sizeof(stats->long_between));
	one->stats.between_pixels = stats->between_pixels;
	one->stats.worst = stats->worst;
	one->stats.channels = stats->channels;
	for (size_t i = 0; i < stats->ids_count; i++) {
		unsigned id = (unsigned)s->ids[i].id & 255;

		one->ids[i] = s->ids[i];
		one->ids[i].id = id;
		one->stats.raw_used[id / 64] |= UINT64_C(1) << id % 64;
	}
	one->stats.min = one->ids[0].id;
	one->stats.max = one->ids[stats->ids_count - 1].id;
	one->input = *s;
	one->input.sample = &one->sample;
	one->input.stats = &one->stats;
	one->input.ids = one->ids;
	one->input.interpolation = rule_input_interpolation(&one->input);
	return true;
}
