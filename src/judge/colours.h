/*
 * What a file with several channels is: exactly one of these, so that exactly one rule speaks of it. Pure functions on
 * the channel facts of label_stats.h.
 */
#ifndef JUDGE_COLOURS_H
#define JUDGE_COLOURS_H

#include <stdbool.h>

#include "judge/rule.h"

enum channel_use {
	CHANNELS_REPLICATED,  /* all colour channels are equal everywhere, alpha is constant: one of them holds ids */
	CHANNELS_ONE_HOT,     /* each channel is a class */
	CHANNELS_MULTI_LABEL, /* each channel is a class, and pixels may have several, or none */
	CHANNELS_COLOURS,     /* colours (or an alpha) that stand for something */
};

/* As a PNG's header or an array's shape tells it. */
struct channel_layout {
	unsigned channels;
	bool alpha;       /* the last one */
	unsigned bits;    /* of a sample */
	const char *load; /* the Python that gives all channels */
};
struct channel_layout channels_layout(const struct rule_input *s);

enum channel_use channels_use(const struct rule_input *s);

#endif
