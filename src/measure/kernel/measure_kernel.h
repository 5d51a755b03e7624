/*
 * The kernel: each warp (warp.h) draws jobs (kernel_job.h), decodes a mask and measures its ids, as label_stats.h
 * defines. kernel_run_warp, at the end, is the entry.
 *
 * The filtered rows are inflated into the warp's scratch memory (inflate_kernel.h). Then one pass unfilters them, row
 * by row, into two rows of ids that are all the raster there ever is. A lane holds KERNEL_LANE_PIXELS adjacent pixels
 * in words, the warp a tile of KERNEL_TILE.
 *
 * Neighbouring rows of a mask are often equal. So a row that equals the one above is not looked at again: its runs are
 * counted once for all equal rows, when another row follows. In a row that differs, the warp gathers the places where
 * runs start, and the columns that changed, in shared memory; then each lane counts one of them. The counters of ids
 * are in global memory, and changed once per run, not once per pixel.
 */
#pragma once

#include "measure/content_key.h"
#include "measure/kernel/unfilter_kernel.h"

/* The neighbour that the first and the last run of a line do not have. */
#define NO_ID   256u
#define NO_CELL 0xffffffffu

/* A complete run of a line. */
struct kernel_run {
	uint32_t id, left, right; /* left, right: NO_ID at the border */
	uint32_t length;
};

/* The rows that are not yet counted: equal ones, from row `first` on. Uniform. */
struct kernel_pending {
	uint32_t first;
	uint32_t starts; /* how many runs such a row has, in shared memory; 0: there are no rows */
	uint32_t whole;  /* else there are more, which did not fit, and are counted; then there is one row */
};

KERNEL_FN uint32_t kernel_gap(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

KERNEL_FN uint32_t kernel_is_between(uint32_t left, uint32_t id, uint32_t right)
{
	return (left < id && id < right) || (left > id && id > right);
}

/*
 * Counts `times` equal runs of a lane, except labels, places and worst. Returns whether it is a lone pixel between its
 * neighbours.
 */
KERNEL_FN uint32_t kernel_count_run(struct kernel_slot *slot, struct lane_sums *sums, uint32_t lane, uint32_t line,
				    const struct kernel_run *run, uint32_t times)
{
	if (run->length <= 2)
		cell_add(&slot->thin[run->id], run->length * times);
	if (run->right == NO_ID)
		return 0;
	sums->edges[line][lane] += times;
	if (kernel_gap(run->id, run->right) >= 2)
		sums->wide_edges[line][lane] += times;
	if (run->left == NO_ID || run->left == run->right)
		return 0;

	uint32_t between = kernel_is_between(run->left, run->id, run->right);

	if (run->length > 1) {
		if (between)
			sums->long_between[line][lane] += times;
		return 0;
	}
	cell_add(&slot->lone[line][run->id], times);
	if (between)
		cell_add(&slot->between[line][run->id], times);
	return between;
}

KERNEL_FN void kernel_note_worst(struct lane_sums *sums, uint32_t lane, const struct kernel_run *run, uint64_t index,
				 uint32_t line)
{
	uint64_t key = (uint64_t)kernel_gap(run->left, run->right) << 48 | (KERNEL_INDEX_MASK - index) << 1 |
		       (line == KERNEL_ROW);

	if (key > sums->worst_key[lane]) {
		sums->worst_key[lane] = key;
		sums->worst_ids[lane] = run->left | run->id << 8 | run->right << 16;
	}
}

/* Adds `length` pixels from x on in rows y to `last` to the place and box of an illegal id. */
KERNEL_FN void kernel_note_place(struct kernel_slot *slot, uint32_t id, uint32_t width, uint32_t x, uint32_t y,
				 uint32_t length, uint32_t last)
{
	cell_min(&slot->first_index[id], y * width + x);
	cell_min(&slot->x0[id], x);
	cell_max(&slot->x1[id], x + length - 1);
	cell_min(&slot->y0[id], y);
	cell_max(&slot->y1[id], last);
}

/* Adds a difference of ids at column x to the content key. weight: of the rows. */
KERNEL_FN void kernel_add_content(struct lane_sums *sums, uint32_t lane, uint64_t ids, uint32_t x,
				  const struct content_pair *weight)
{
	struct content_pair column = content_column(x);

	for (uint32_t i = 0; i < 2; i++)
		sums->content[i][lane] += ids * column.v[i] * weight->v[i];
}

/*
 * Counts the first n runs whose starts are gathered, in rows `first` to first + repeats - 1, which equal `row`.
 * starts[n] is where the last run ends.
 *
 * The content key takes the difference of two columns for each run, so that a start counts with the id that begins
 * there, and against the one that ends.
 */
KERNEL_FN void kernel_count_rows(struct warp *w, struct kernel_shared *s, const struct kernel_batch *b,
				 struct kernel_slot *slot, uint32_t first, uint32_t repeats, uint32_t n,
				 const uint8_t *row)
{
	const uint32_t *starts = s->u.rows.starts;
	struct lane_sums *sums = &s->u.rows.sums;
	uint32_t width = s->job.width, left_rows = s->job.height - first;
	struct content_pair weight = content_rows(left_rows, left_rows - repeats);

	for (uint32_t base = 0; base < n; base += WARP_LANES) {
		LANES (w, lane) {
			if (base + lane < n) {
				uint32_t start = starts[base + lane], end = starts[base + lane + 1];
				struct kernel_run run;

				run.id = row[start];
				run.left = start > 0 ? row[start - 1] : NO_ID;
				run.right = end < width ? row[end] : NO_ID;
				run.length = end - start;

				kernel_add_content(sums, lane, run.id - (start > 0 ? run.left : (uint64_t)0 - 1), start,
						   &weight);
				if (run.right == NO_ID)
					kernel_add_content(sums, lane, (uint64_t)0 - 1 - run.id, end, &weight);
				cell_add(&slot->labels[run.id], run.length * repeats);
				if (!(b->legal[run.id / 32] >> run.id % 32 & 1))
					kernel_note_place(slot, run.id, width, start, first, run.length,
							  first + repeats - 1);
				if (kernel_count_run(slot, sums, lane, KERNEL_ROW, &run, repeats)) {
					sums->between_pixels[lane] += repeats;
					kernel_note_worst(sums, lane, &run, (uint64_t)first * width + start,
							  KERNEL_ROW);
				}
			}
		}
	}
}

/*
 * Counts the run of column x that ends above row y. A column's word holds the row where its last run starts, and in the
 * low 8 bits the id above that run.
 */
KERNEL_FN void kernel_column_change(struct kernel_shared *s, struct kernel_slot *slot, uint32_t *columns,
				    const uint8_t *above, const uint8_t *row, uint32_t x, uint32_t y, uint32_t lane)
{
	uint32_t column = columns[x], start = column >> 8, width = s->job.width;
	struct lane_sums *sums = &s->u.rows.sums;
	struct kernel_run run;

	run.id = above[x];
	run.left = start > 0 ? column & 0xff : NO_ID;
	run.right = row[x];
	run.length = y - start;
	columns[x] = y << 8 | run.id;
	if (!kernel_count_run(slot, sums, lane, KERNEL_COLUMN, &run, 1))
		return;
	kernel_note_worst(sums, lane, &run, (uint64_t)(y - 1) * width + x, KERNEL_COLUMN);
	/* kernel_count_rows counts it if it is between its row neighbours, too */
	if (!(x > 0 && x + 1 < width && kernel_is_between(above[x - 1], run.id, above[x + 1])))
		sums->between_pixels[lane]++;
}

/* Counts the columns that are gathered, and forgets them. */
KERNEL_FN void kernel_count_changes(struct warp *w, struct kernel_shared *s, struct kernel_slot *slot, uint8_t *scratch,
				    const uint8_t *above, const uint8_t *row, uint32_t y)
{
	uint32_t *columns = (uint32_t *)(scratch + s->layout.columns);

	warp_sync(w);
	uint32_t n = s->u.rows.changes_count;

	LANES (w, lane) {
		for (uint32_t i = lane; i < n; i += WARP_LANES)
			kernel_column_change(s, slot, columns, above, row, s->u.rows.changes[i], y, lane);
	}
	warp_sync(w);
	LANES (w, lane) {
		if (lane == 0)
			s->u.rows.changes_count = 0;
	}
	warp_sync(w);
}

/* Returns which bytes of a lane are not 0: a bit each. */
KERNEL_FN uint32_t kernel_bytes_set(const struct lane_words *v)
{
	uint32_t bits = 0;

	for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++) {
		uint32_t set = (((v->word[k] & 0x7f7f7f7fu) + 0x7f7f7f7fu) | v->word[k]) >> 7 & 0x01010101u;

		bits |= (set * 0x01020408u >> 24) << 4 * k; /* the product moves bit 8 i to bit 24 + i */
	}
	return bits;
}

/*
 * Counts the changes of row y, and gathers its runs, which are pending then. above: NULL for the first row. `row` has
 * been synced.
 */
KERNEL_FN void kernel_gather_row(struct warp *w, struct kernel_shared *s, const struct kernel_batch *b,
				 struct kernel_slot *slot, uint8_t *scratch, const uint8_t *above, const uint8_t *row,
				 uint32_t y, struct kernel_pending *m)
{
	LANE_VAR(struct lane_words, here);
	LANE_VAR(uint32_t, last);
	LANE_VAR(uint32_t, left);
	LANE_VAR(uint32_t, bits);
	LANE_VAR(uint32_t, count);
	LANE_VAR(uint32_t, before);
	LANE_VAR(uint32_t, changed);
	uint32_t carry = 0, n = 0, width = s->job.width;
	uint32_t changes = 0; /* at most as many are gathered */

	m->first = y;
	m->whole = 1;
	for (uint32_t base = 0;; base += KERNEL_TILE) {
		if (above && (base >= width || changes > KERNEL_CHANGES - KERNEL_TILE)) {
			kernel_count_changes(w, s, slot, scratch, above, row, y);
			changes = 0;
		}
		if (base >= width)
			break;
		if (n + KERNEL_TILE > KERNEL_STARTS) {
			/* Perhaps more than fit: the last one stays, since its end is not known. */
			warp_sync(w);
			kernel_count_rows(w, s, b, slot, y, 1, n - 1, row);
			uint32_t open = s->u.rows.starts[n - 1];

			warp_sync(w);
			LANES (w, lane) {
				if (lane == 0)
					s->u.rows.starts[0] = open;
			}
			n = 1;
			m->whole = 0;
		}
		LANES (w, lane) {
			uint32_t x = base + lane * KERNEL_LANE_PIXELS;

			for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
				AT(here, lane).word[k] = 0;
			AT(changed, lane) = 0;
			if (x < width) {
				AT(here, lane) = kernel_load_aligned(row + x);
				if (above) {
					struct lane_words up = kernel_load_aligned(above + x);

					for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++)
						up.word[k] ^= AT(here, lane).word[k];
					AT(changed, lane) = kernel_bytes_set(&up);
				}
			}
			AT(last, lane) = AT(here, lane).word[KERNEL_LANE_WORDS - 1];
		}
		warp_from_left(w, left, last, carry);
		carry = warp_broadcast(w, last, WARP_LANES - 1);
		LANES (w, lane) {
			uint32_t x = base + lane * KERNEL_LANE_PIXELS, in_row = x < width ? width - x : 0;
			struct lane_words step;
			uint32_t before_word = AT(left, lane);

			for (uint32_t k = 0; k < KERNEL_LANE_WORDS; k++) {
				uint32_t word = AT(here, lane).word[k];

				step.word[k] = word ^ word_pair_shift(before_word, word, 24);
				before_word = word;
			}
			AT(bits, lane) = (kernel_bytes_set(&step) | (x == 0)) &
					 (in_row < KERNEL_LANE_PIXELS ? (1u << in_row) - 1 : 0xffffffffu);
			AT(count, lane) = bits_count(AT(bits, lane));
		}
		changes += KERNEL_LANE_PIXELS * bits_count(warp_ballot(w, changed));
		LANES (w, lane) {
			uint32_t set = AT(changed, lane);

			if (set) {
				uint32_t at = cell_add(&s->u.rows.changes_count, bits_count(set));

				for (; set; set &= set - 1)
					s->u.rows.changes[at++] = base + lane * KERNEL_LANE_PIXELS + bit_first(set);
			}
		}
		if (!warp_ballot(w, count))
			continue;
		uint32_t more = warp_scan(w, before, count);

		LANES (w, lane) {
			uint32_t at = n + AT(before, lane);

			for (uint32_t set = AT(bits, lane); set; set &= set - 1)
				s->u.rows.starts[at++] = base + lane * KERNEL_LANE_PIXELS + bit_first(set);
		}
		n += more;
	}
	LANES (w, lane) {
		if (lane == 0)
			s->u.rows.starts[n] = width;
	}
	warp_sync(w);
	m->starts = n;
}

/* Counts the last runs of all columns. */
KERNEL_FN void kernel_end_columns(struct warp *w, const struct kernel_shared *s, struct kernel_slot *slot,
				  const uint32_t *columns, const uint8_t *row)
{
	LANES (w, lane) {
		for (uint32_t x = lane; x < s->job.width; x += WARP_LANES) {
			uint32_t length = s->job.height - (columns[x] >> 8);

			if (length <= 2)
				cell_add(&slot->thin[row[x]], length);
		}
	}
}

KERNEL_FN void kernel_clear_slot(struct warp *w, struct kernel_slot *slot)
{
	LANES (w, lane) {
		if (lane < KERNEL_IDS / 32)
			slot->raw_used[lane] = 0;
		for (uint32_t id = lane; id < KERNEL_IDS; id += WARP_LANES) {
			slot->labels[id] = slot->thin[id] = 0;
			slot->lone[0][id] = slot->lone[1][id] = 0;
			slot->between[0][id] = slot->between[1][id] = 0;
			slot->first_index[id] = slot->x0[id] = slot->y0[id] = NO_CELL;
			slot->x1[id] = slot->y1[id] = 0;
		}
	}
}

/* Returns the sum of a field of all lanes. */
KERNEL_FN uint32_t kernel_sum(struct warp *w, const uint32_t *field)
{
	LANE_VAR(uint32_t, v);

	LANES (w, lane)
		AT(v, lane) = field[lane];
	return warp_sum(w, v);
}

KERNEL_FN uint64_t kernel_sum_wide(struct warp *w, const uint64_t *field)
{
	LANE_VAR(uint64_t, v);

	LANES (w, lane)
		AT(v, lane) = field[lane];
	return warp_sum_wide(w, v);
}

/* Adds up what all lanes have counted. */
KERNEL_FN void kernel_finish_slot(struct warp *w, const struct kernel_shared *s, struct kernel_slot *slot)
{
	const struct lane_sums *sums = &s->u.rows.sums;
	LANE_VAR(uint64_t, v);

	for (uint32_t line = 0; line < 2; line++) {
		uint32_t edges = kernel_sum(w, sums->edges[line]);
		uint32_t wide_edges = kernel_sum(w, sums->wide_edges[line]);
		uint32_t long_between = kernel_sum(w, sums->long_between[line]);
		uint64_t content = kernel_sum_wide(w, sums->content[line]);

		LANES (w, lane) {
			if (lane == 0) {
				slot->edges[line] = edges;
				slot->wide_edges[line] = wide_edges;
				slot->long_between[line] = long_between;
				slot->content[line] = content; /* of two independent ones, not of a direction */
			}
		}
	}
	uint32_t between_pixels = kernel_sum(w, sums->between_pixels);

	LANES (w, lane)
		AT(v, lane) = sums->worst_key[lane];
	uint64_t key = warp_max(w, v);

	LANES (w, lane) {
		/* No two lanes have seen the same pixel in the same direction. */
		if (key ? AT(v, lane) == key : lane == 0) {
			slot->serial = s->job.serial;
			slot->status = KERNEL_MEASURED;
			slot->padding = 0;
			slot->between_pixels = between_pixels;
			slot->worst_key = key;
			slot->worst_left = sums->worst_ids[lane] & 0xff;
			slot->worst_id = sums->worst_ids[lane] >> 8 & 0xff;
			slot->worst_right = sums->worst_ids[lane] >> 16;
		}
	}
}

KERNEL_FN void kernel_clear_sums(struct warp *w, struct lane_sums *sums)
{
	LANES (w, lane) {
		for (uint32_t i = 0; i < 2; i++) {
			sums->content[i][lane] = 0;
			sums->edges[i][lane] = sums->wide_edges[i][lane] = sums->long_between[i][lane] = 0;
		}
		sums->worst_key[lane] = 0;
		sums->worst_ids[lane] = sums->between_pixels[lane] = 0;
	}
}

/* Unfilters and measures the rows that are inflated into scratch. */
KERNEL_FN void kernel_measure(struct warp *w, struct kernel_shared *s, const struct kernel_batch *b,
			      struct kernel_slot *slot, uint8_t *scratch)
{
	uint32_t current = 1; /* which one of the two rows; the other one is above */
	struct kernel_pending m = { 0, 0, 0 };

	kernel_clear_sums(w, &s->u.rows.sums);
	LANES (w, lane) {
		uint32_t *columns = (uint32_t *)(scratch + s->layout.columns);
		uint32_t padding = s->layout.columns - s->layout.filtered; /* fewer than WARP_LANES bytes */

		for (uint32_t x = lane; x < s->job.width; x += WARP_LANES)
			columns[x] = 0;
		/* the row above the first one, to the end of the last lane's words */
		for (uint32_t i = 4 * lane; i < s->layout.row_bytes + KERNEL_LANE_PIXELS; i += 4 * WARP_LANES)
			store_word(scratch + s->layout.samples[0] + i, 0);
		if (lane < padding)
			scratch[s->layout.filtered + lane] = 0;
		if (lane == 0)
			s->u.rows.changes_count = 0;
	}
	warp_sync(w);
	for (uint32_t y = 0;; y++) {
		const uint8_t *above;
		uint32_t differs = 1;

		if (y < s->job.height) {
			uint32_t differs_from_above = kernel_unfilter_row(
				w, s, scratch, y, s->layout.samples[1 - current], s->layout.samples[current]);

			differs = y == 0 || differs_from_above;
			warp_sync(w);
			if (!differs && m.whole)
				continue;
			if (differs && kernel_job_makes_ids(&s->job)) {
				kernel_make_ids(w, s, b, slot, scratch + s->layout.samples[current],
						scratch + s->layout.ids[current]);
				warp_sync(w);
			}
		}
		above = scratch + s->layout.ids[1 - current];
		warp_phase(w, PHASE_FILTERS);
		kernel_count_rows(w, s, b, slot, m.first, y - m.first, m.starts, above);
		if (y == s->job.height)
			break;
		warp_sync(w); /* the starts are read */
		warp_phase(w, PHASE_COUNT);
		kernel_gather_row(w, s, b, slot, scratch, y ? above : 0,
				  differs ? scratch + s->layout.ids[current] : above, y, &m);
		warp_phase(w, PHASE_GATHER);
		current = differs ? 1 - current : current;
	}
	kernel_end_columns(w, s, slot, (const uint32_t *)(scratch + s->layout.columns),
			   scratch + s->layout.ids[1 - current]);
	kernel_finish_slot(w, s, slot);
	warp_phase(w, PHASE_COUNT);
}

KERNEL_FN void kernel_refuse(struct warp *w, const struct kernel_shared *s, struct kernel_slot *slot)
{
	LANES (w, lane) {
		if (lane == 0) {
			/* the whole head, which goes to the host with the rest */
			slot->worst_key = slot->content[0] = slot->content[1] = 0;
			slot->worst_left = slot->worst_id = slot->worst_right = slot->between_pixels = 0;
			for (uint32_t i = 0; i < 2; i++)
				slot->edges[i] = slot->wide_edges[i] = slot->long_between[i] = 0;
			slot->padding = 0;
			slot->serial = s->job.serial;
			slot->status = KERNEL_REFUSED;
		}
	}
}

/* Runs a warp until no jobs are left. index: the warp's number, which selects its part of the scratch. */
KERNEL_FN void kernel_run_warp(struct warp *w, struct kernel_shared *s, const struct kernel_batch *b, uint32_t index)
{
	uint8_t *scratch = b->scratch + (uint64_t)index * b->scratch_bytes;
	LANE_VAR(uint32_t, drawn);

	for (;;) {
		LANES (w, lane)
			AT(drawn, lane) = lane == 0 ? cell_add(b->next, 1) : 0;
		uint32_t at = warp_broadcast(w, drawn, 0);

		if (at >= b->count)
			return;
		struct kernel_slot *slot = &b->slots[at];

		LANES (w, lane) {
			if (lane == 0) {
				s->job = b->jobs[at];
				s->layout = kernel_lay_out(&s->job);
			}
		}
		kernel_clear_slot(w, slot);
		warp_sync(w); /* the slot is clear, and all lanes are done with the last mask */
		warp_phase(w, PHASE_DRAW);
		if (kernel_inflate(w, &s->u.inflate, b->streams + s->job.stream_at, s->job.stream_bytes, scratch,
				   s->layout.filtered) &&
		    kernel_filters_exist(w, s, scratch))
			kernel_measure(w, s, b, slot, scratch);
		else
			kernel_refuse(w, s, slot);
		warp_sync(w);
	}
}
