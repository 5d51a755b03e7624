/*
 * For tests of rules: a small mask in, what a rule sees out. Measures by brute force, each number straight from its
 * definition in measure/label_stats.h, so that rules are tested without the backends.
 */
#pragma once

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "judge/role.h"
#include "judge/rule.h"

/* Lasts as long as its test, which is a process of its own. */
struct measured {
	struct measured *before;
	const struct pairing *pairing; /* NULL unless the test sets it */
	struct settings settings;
	struct sample sample;
	struct label_stats stats;
	struct id_stats ids[4096];
	struct finding finding;
	struct dataset_stats set; /* what set.h adds masks to */
};

/* ignore: NULL for none. The sample is an 8-bit grey PNG of no size until something is measured. */
static inline struct measured *measured_new(const char *classes, const char *ignore)
{
	static struct measured *all; /* so that nothing is lost, as a sanitizer sees it */
	struct measured *m = calloc(1, sizeof(*m));
	struct error err = ERROR_INIT;

	m->before = all;
	all = m;
	dataset_init(&m->set);
	/* every rule is off: no rule asks another one, unless a test lets it */
	m->settings.rules.levels = calloc(rule_count, sizeof(*m->settings.rules.levels));
	class_set_init(&m->settings.classes);
	ck_assert_int_eq(class_set_parse_classes(&m->settings.classes, classes, &err), STATUS_OK);
	if (ignore)
		ck_assert_int_eq(class_set_parse_ignore(&m->settings.classes, ignore, &err), STATUS_OK);
	class_set_finish(&m->settings.classes);
	m->sample.path = "mask.png";
	m->sample.format = FORMAT_PNG;
	m->sample.png.bit_depth = 8;
	m->sample.png.channels = 1;
	fault_clear(&m->sample.fault);
	fault_clear(&m->sample.warning);
	return m;
}

static inline struct id_stats *measured_row(struct measured *m, int64_t id)
{
	size_t at = 0;

	while (at < m->stats.ids_count && m->ids[at].id < id)
		at++;
	if (at < m->stats.ids_count && m->ids[at].id == id)
		return &m->ids[at];
	ck_assert_uint_lt(m->stats.ids_count, 4096);
	memmove(m->ids + at + 1, m->ids + at, (m->stats.ids_count - at) * sizeof(m->ids[0]));
	m->stats.ids_count++;
	m->ids[at] = (struct id_stats){ .id = id, .first_index = NO_INDEX };
	return &m->ids[at];
}

static inline void measured_reduce_zero_label(struct measured *m)
{
	m->settings.reduce_zero_label = m->settings.classes.zero_reduced = true;
	class_set_finish(&m->settings.classes);
}

static inline void measured_begin(struct measured *m, uint32_t width, uint32_t height)
{
	memset(&m->stats, 0, sizeof(m->stats));
	m->stats.width = m->sample.png.width = width;
	m->stats.height = m->sample.png.height = height;
}

/* One line of n ids, `step` apart, as label_stats.h defines its counters. bogus: a mark for each pixel of the image. */
static inline void measured_line(struct measured *m, enum line d, const int64_t *ids, size_t start, size_t step,
				 size_t n, char *bogus)
{
	size_t at = 0;

	while (at < n) {
		int64_t id = ids[start + at * step];
		size_t end = at;

		while (end < n && ids[start + end * step] == id)
			end++;
		struct id_stats *row = measured_row(m, id);

		if (end - at <= 2)
			row->thin += end - at;
		if (end < n) {
			int64_t right = ids[start + end * step];

			m->stats.edges[d]++;
			m->stats.wide_edges[d] += (uint64_t)id - (uint64_t)right + 1 > 2; /* by two or more */
			if (at > 0 && ids[start + (at - 1) * step] != right) {
				int64_t left = ids[start + (at - 1) * step];
				int between = (left < id && id < right) || (left > id && id > right);

				if (end - at == 1) {
					row->lone[d]++;
					row->between[d] += (uint64_t)between;
					if (between)
						bogus[start + at * step] = 1;
				} else {
					m->stats.long_between[d] += (uint64_t)between;
				}
			}
		}
		at = end;
	}
}

/* ids: width * height of them, row-major. */
static inline void measured_ids(struct measured *m, uint32_t width, uint32_t height, const int64_t *ids)
{
	size_t n = (size_t)width * height;
	char *bogus = calloc(n + 1, 1);

	measured_begin(m, width, height);
	m->stats.neighbours = 1;
	m->stats.labels = n;
	for (size_t i = 0; i < n; i++) {
		struct id_stats *row = measured_row(m, ids[i]);
		uint32_t x = (uint32_t)(i % width), y = (uint32_t)(i / width);

		row->labels++;
		m->stats.min = i && m->stats.min < ids[i] ? m->stats.min : ids[i];
		m->stats.max = i && m->stats.max > ids[i] ? m->stats.max : ids[i];
		if (ids[i] >= 0 && ids[i] < 256)
			m->stats.raw_used[ids[i] / 64] |= (uint64_t)1 << (ids[i] % 64);
		if (settings_role(&m->settings, ids[i]) != ID_INVALID)
			continue;
		if (row->first_index == NO_INDEX) {
			row->first_index = i;
			row->x0 = row->x1 = x;
			row->y0 = y;
		}
		row->x0 = x < row->x0 ? x : row->x0;
		row->x1 = x > row->x1 ? x : row->x1;
		row->y1 = y;
	}
	for (size_t y = 0; y < height; y++)
		measured_line(m, LINE_ROW, ids, y * width, 1, width, bogus);
	for (size_t x = 0; x < width; x++)
		measured_line(m, LINE_COLUMN, ids, x, width, height, bogus);
	for (size_t i = 0; i < n; i++)
		m->stats.between_pixels += (uint64_t)bogus[i];
	free(bogus);
}

/* pixels: width * height times channels samples; 2 and 4 channels have an alpha. peak and so on as label_stats.h says.
 */
static inline void measured_channels(struct measured *m, uint32_t width, uint32_t height, unsigned channels,
				     const uint8_t *pixels)
{
	static const uint8_t types[] = { 0, PNG_GREY, PNG_GREY_ALPHA, PNG_RGB, PNG_RGBA };
	struct channel_stats *c = &m->stats.channels;
	size_t n = (size_t)width * height;
	unsigned colours = channels < 3 ? 1 : 3;

	measured_begin(m, width, height);
	m->sample.png.colour_type = types[channels];
	m->sample.png.channels = (uint8_t)channels;
	m->stats.colours = 1;
	c->pixels = n;
	for (size_t i = 0; i < n * channels; i++)
		if (i % channels < colours && pixels[i] > c->peak)
			c->peak = pixels[i];
	c->alpha_min = channels % 2 ? 0 : UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = pixels + i * channels;
		uint8_t r = p[0], g = p[colours > 1], b = p[colours > 1 ? 2 : 0];
		int on = colours > 1 ? (r > 0) + (g > 0) + (b > 0) : r > 0;

		c->unequal_pixels += r != g || g != b;
		c->one_hot_pixels += on == 1;
		c->blank_pixels += on == 0;
		c->mixed_pixels += (r && r != c->peak) || (g && g != c->peak) || (b && b != c->peak);
		if (channels % 2 == 0) {
			uint32_t a = p[channels - 1];

			c->alpha_min = a < c->alpha_min ? a : c->alpha_min;
			c->alpha_max = a > c->alpha_max ? a : c->alpha_max;
		}
		measured_row(m, (int64_t)r << 16 | (int64_t)g << 8 | b)->labels++;
	}
}

/* Asks the rule about the file, as the audit does. */
static inline bool measured_check(struct measured *m, const struct rule *rule)
{
	const struct rule_input s = rule_input_of(&m->settings, &m->sample, &m->stats, m->ids, m->pairing);
	unsigned facts_available = rule_input_facts(&s);

	finding_init(&m->finding, rule);
	return rule_applies(rule, facts_available) && rule_check_file(rule, &s, &m->finding);
}

/* Adds the file to a set, and asks a rule about the set. */
static inline void measured_add(struct measured *m, struct dataset_stats *d, bool flagged)
{
	dataset_add(d, &m->settings, &m->sample, &m->stats, m->ids, flagged);
}

static inline bool measured_check_dataset(struct measured *m, const struct rule *rule, const struct dataset_stats *d)
{
	finding_init(&m->finding, rule);
	return rule_check_dataset(rule, &m->settings, d, &m->finding);
}

/* A mask of one row that holds the ids given. */
#define measured_list(m, ...) \
	measured_ids(m, (uint32_t)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), 1, (int64_t[]){ __VA_ARGS__ })

#define assert_says(text_, part) ck_assert_msg(strstr((text_).s, part), "'%s' does not say '%s'", (text_).s, part)
