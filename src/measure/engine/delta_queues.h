/*
 * Deferred counting of 8-bit ids for AVX-512, part of delta_template.h. Changes and short runs are appended to queues
 * without a branch. They are added up when a queue is full, when its rows no longer fit 16 bits, and when the image
 * ends, in loops whose ends the processor can predict. It has no include guard.
 */

/* Computes content_mix of 8 numbers. */
TARGET_INLINE void content_mix_8(__m512i n, __m512i mixed[2])
{
	n = _mm512_mullo_epi64(n, _mm512_set1_epi64((int64_t)CONTENT_KEY_MULTIPLY_1));
	n = _mm512_xor_si512(n, _mm512_srli_epi64(n, CONTENT_KEY_FOLD_1));
	n = _mm512_mullo_epi64(n, _mm512_set1_epi64((int64_t)CONTENT_KEY_MULTIPLY_2));
	n = _mm512_xor_si512(n, _mm512_srli_epi64(n, CONTENT_KEY_FOLD_2));
	mixed[0] = n;
	n = _mm512_mullo_epi64(n, _mm512_set1_epi64((int64_t)CONTENT_KEY_MULTIPLY_3));
	mixed[1] = _mm512_xor_si512(n, _mm512_srli_epi64(n, CONTENT_KEY_FOLD_3));
}

TARGET_INLINE __m512i load_bytes(const uint8_t *p)
{
	return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)p));
}

TARGET_INLINE __m512i load_halves(const uint16_t *p)
{
	return _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)p));
}

/* Adds the changes to the content key. */
TARGET_INLINE void drain_content(struct delta *s, const struct delta_queues *q)
{
	const __m512i columns = _mm512_set1_epi64((int64_t)CONTENT_KEY_COLUMNS),
		      all_rows = _mm512_set1_epi64((int64_t)(s->height - q->first_row + CONTENT_KEY_ROWS));
	struct content_pair no_rows = content_mix(CONTENT_KEY_ROWS);
	__m512i sum[2] = { _mm512_setzero_si512(), _mm512_setzero_si512() };

	for (size_t i = 0; i < q->changes; i += 8) {
		size_t rest = q->changes - i;
		__mmask8 here = (__mmask8)_bzhi_u32(0xff, rest < 8 ? (unsigned)rest : 8);
		__m512i ids = _mm512_maskz_sub_epi64(here, load_bytes(q->to + i), load_bytes(q->from + i));
		__m512i x = _mm512_slli_epi64(load_halves(q->block + i), 6);
		__m512i start[2], end[2], row[2];

		x = _mm512_add_epi64(_mm512_add_epi64(x, columns), load_bytes(q->x + i));
		content_mix_8(x, start);
		content_mix_8(_mm512_add_epi64(x, load_bytes(q->pixels + i)), end);
		content_mix_8(_mm512_sub_epi64(all_rows, load_halves(q->row + i)), row);
		for (unsigned j = 0; j < 2; j++) {
			__m512i rows = _mm512_sub_epi64(row[j], _mm512_set1_epi64((int64_t)no_rows.v[j]));
			__m512i weight = _mm512_mullo_epi64(_mm512_sub_epi64(start[j], end[j]), rows);

			sum[j] = _mm512_add_epi64(sum[j], _mm512_mullo_epi64(ids, weight));
		}
	}
	for (unsigned j = 0; j < 2; j++) {
		uint64_t lanes[8];

		_mm512_storeu_si512(lanes, sum[j]);
		for (unsigned i = 0; i < 8; i++)
			s->sums.content[j] += lanes[i];
	}
}

/* Looks 64 bytes up in a table of 256. */
TARGET_INLINE __m512i lookup_256(const uint8_t *table, __m512i ids)
{
	__m512i low = _mm512_permutex2var_epi8(_mm512_load_si512(table), ids, _mm512_load_si512(table + 64));
	__m512i high = _mm512_permutex2var_epi8(_mm512_load_si512(table + 128), ids, _mm512_load_si512(table + 192));

	return _mm512_mask_blend_epi8(_mm512_movepi8_mask(ids), low, high);
}

/* Updates the bounding boxes of ids that are neither a class nor ignored; they are rare. */
TARGET_INLINE void drain_bboxes(struct delta *s, const struct delta_queues *q)
{
	for (size_t i = 0; i < q->changes; i += 64) {
		__m512i from = lookup_256(s->by_id.invalid, _mm512_loadu_si512(q->from + i));
		__m512i to = lookup_256(s->by_id.invalid, _mm512_loadu_si512(q->to + i));
		uint64_t here = q->changes - i < 64 ? (UINT64_C(1) << (q->changes - i)) - 1 : UINT64_MAX;

		for (uint64_t bad = _mm512_movepi8_mask(_mm512_or_si512(from, to)) & here; bad; bad &= bad - 1) {
			size_t at = i + (unsigned)__builtin_ctzll(bad);

			update_bbox(s, q->from[at], q->to[at], (size_t)q->block[at] * DELTA_BLOCK + q->x[at],
				    q->pixels[at], q->first_row + q->row[at]);
		}
	}
}

/* rows: the rows from first_row to the end of the image */
TARGET_INLINE void drain_row_runs(struct delta *s, struct delta_run_queue *q, int64_t rows, int64_t sign)
{
	for (size_t i = 0; i < q->count; i++)
		s->by_id.ids[q->id[i]].runs[q->kind[i]] += (rows - q->row[i]) * sign;
	q->count = 0;
}

TARGET_INLINE void drain_labels(struct delta *s, struct delta_queues *q, int64_t rows)
{
	size_t i = 0, alternating = 0;

	q->accumulated |= q->changes > DELTA_QUEUE / 2; /* emptying the accumulators costs more than few changes gain */
	if (q->accumulated)
		alternating = q->changes / DELTA_ACCUMULATORS * DELTA_ACCUMULATORS;
	for (; i < alternating; i += DELTA_ACCUMULATORS)
		for (size_t a = 0; a < DELTA_ACCUMULATORS; a++) {
			int64_t labels = (rows - q->row[i + a]) * q->pixels[i + a];

			q->minus[a][q->from[i + a]] += labels;
			q->plus[a][q->to[i + a]] += labels;
		}
	for (; i < q->changes; i++) {
		int64_t labels = (rows - q->row[i]) * q->pixels[i];

		s->by_id.labels[q->from[i]] -= labels;
		s->by_id.labels[q->to[i]] += labels;
	}
	q->changes = 0;
}

TARGET_INLINE void drain_queues_8(struct delta *s)
{
	struct delta_queues *q = &s->queues;
	int64_t rows = (int64_t)(s->height - q->first_row);

	drain_bboxes(s, q);
	drain_content(s, q);
	drain_labels(s, q, rows);
	drain_row_runs(s, &q->new_runs, rows, 1);
	drain_row_runs(s, &q->old_runs, rows, -1);
	for (size_t i = 0; i < q->columns.count; i++)
		s->by_id.ids[q->columns.id[i]].runs[SHORT_COLUMN + q->columns.kind[i]] += q->columns.pixels[i];
	q->columns.count = 0;
	q->first_row = s->y;
}

/* Drains the queues, and empties the accumulators. */
TARGET_INLINE void end_queues_8(struct delta *s)
{
	struct delta_queues *q = &s->queues;

	drain_queues_8(s);
	for (size_t id = 0; q->accumulated && id < 256; id += 8) {
		__m512i sum = _mm512_loadu_si512(s->by_id.labels + id);

		for (size_t a = 0; a < DELTA_ACCUMULATORS; a++) {
			sum = _mm512_add_epi64(sum, _mm512_loadu_si512(q->plus[a] + id));
			sum = _mm512_sub_epi64(sum, _mm512_loadu_si512(q->minus[a] + id));
			_mm512_storeu_si512(q->plus[a] + id, _mm512_setzero_si512());
			_mm512_storeu_si512(q->minus[a] + id, _mm512_setzero_si512());
		}
		_mm512_storeu_si512(s->by_id.labels + id, sum);
	}
	q->accumulated = false;
}

/* Makes sure that a queue of `count` entries can take those of one event. */
TARGET_INLINE void drain_if_full(struct delta *s, size_t count)
{
	if (__builtin_expect(count > DELTA_QUEUE, 0))
		drain_queues_8(s);
}

/* Makes sure that the rows of the current group fit the queues. */
TARGET_INLINE void begin_queues_8(struct delta *s)
{
	if (__builtin_expect(s->y + DELTA_GROUP - s->queues.first_row >= DELTA_QUEUE_ROWS, 0))
		drain_queues_8(s);
}

/* Appends the first n of these bytes. n is rarely more than 8. */
TARGET_INLINE void append_bytes(uint8_t *at, __m512i bytes, unsigned n)
{
	_mm_storeu_si128((__m128i *)at, _mm512_castsi512_si128(bytes));
	if (__builtin_expect(n > 8, 0))
		_mm512_storeu_si512(at, bytes);
}

/* Appends the same number n times. */
TARGET_INLINE void append_same(uint16_t *at, uint32_t v, unsigned n)
{
	_mm_storeu_si128((__m128i *)at, _mm_set1_epi16((short)v));
	if (__builtin_expect(n > 8, 0)) {
		_mm512_storeu_si512(at, _mm512_set1_epi16((short)v));
		_mm512_storeu_si512(at + 32, _mm512_set1_epi16((short)v));
	}
}

/* Pieces of adjacent bits: the first bit and the number of bits of each. */
struct pieces {
	__m512i first, bits;
	unsigned count;
};

/* Splits the bits of `all` into pieces that begin at `starts`, a subset of them. */
TARGET_INLINE struct pieces pieces_of(uint64_t all, uint64_t starts)
{
	const __m512i bits =
		_mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42,
				41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
				19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
	/* the last bit of a piece is one that no other bit of the piece follows */
	uint64_t ends = all & ~((all & ~starts) >> 1);
	__m512i first = _mm512_maskz_compress_epi8(starts, bits), last = _mm512_maskz_compress_epi8(ends, bits);

	return (struct pieces){ first, _mm512_sub_epi8(_mm512_add_epi8(last, _mm512_set1_epi8(1)), first),
				(unsigned)__builtin_popcountll(starts) };
}

TARGET_INLINE void queue_changes_8(struct delta *s, const uint8_t *above, const uint8_t *fresh, uint64_t changed,
				   uint64_t starts, size_t x0, uint32_t y)
{
	struct delta_queues *q = &s->queues;
	struct pieces p = pieces_of(changed, starts);
	unsigned n = p.count;

	drain_if_full(s, q->changes);
	size_t at = q->changes;

	append_bytes(q->from + at, _mm512_maskz_compress_epi8(starts, _mm512_load_si512(above)), n);
	append_bytes(q->to + at, _mm512_maskz_compress_epi8(starts, _mm512_load_si512(fresh)), n);
	append_bytes(q->pixels + at, p.bits, n);
	append_bytes(q->x + at, p.first, n);
	append_same(q->block + at, (uint32_t)(x0 / DELTA_BLOCK), n);
	append_same(q->row + at, y - q->first_row, n);
	q->changes = at + n;
}

/* Returns the kind of each short run (enum short_kind), for rows. */
TARGET_INLINE __m512i kinds_of(const struct delta_short_runs *r)
{
	return _mm512_or_si512(_mm512_maskz_set1_epi8(r->single, SHORT_SINGLE),
			       _mm512_or_si512(_mm512_maskz_set1_epi8(r->lone, SHORT_LONE),
					       _mm512_maskz_set1_epi8(r->between, SHORT_BETWEEN)));
}

/* Counts short runs of row y, which it has more (sign 1) or less (sign -1) than the row above. */
TARGET_INLINE void count_row_runs_8(struct delta *s, const struct delta_short_runs *r, struct vec_8 ids, uint32_t y,
				    int64_t sign)
{
	struct delta_run_queue *q = sign > 0 ? &s->queues.new_runs : &s->queues.old_runs;
	unsigned n = (unsigned)__builtin_popcountll(r->all);

	drain_if_full(s, q->count);
	append_same(q->row + q->count, y - s->queues.first_row, n);
	append_bytes(q->id + q->count, _mm512_maskz_compress_epi8(r->all, ids.v), n);
	append_bytes(q->kind + q->count, _mm512_maskz_compress_epi8(r->all, kinds_of(r)), n);
	q->count += n;
}

/* Queues column runs; adjacent ones of the same id and kind become one entry. */
TARGET_INLINE void count_column_runs_8(struct delta *s, const struct delta_short_runs *r, uint64_t transitions,
				       struct vec_8 ids)
{
	struct delta_run_queue *q = &s->queues.columns;
	uint64_t kinds = (r->single ^ r->single << 1) | (r->lone ^ r->lone << 1) | (r->between ^ r->between << 1);
	uint64_t starts = r->all & (~(r->all << 1) | transitions | kinds);
	struct pieces p = pieces_of(r->all, starts);

	drain_if_full(s, q->count);
	append_bytes(q->id + q->count, _mm512_maskz_compress_epi8(starts, ids.v), p.count);
	append_bytes(q->kind + q->count, _mm512_maskz_compress_epi8(starts, kinds_of(r)), p.count);
	append_bytes(q->pixels + q->count, p.bits, p.count);
	q->count += p.count;
}
