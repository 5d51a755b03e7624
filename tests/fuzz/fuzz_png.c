/*
 * PNG by three backends, the fast path, the warp kernel and libpng with plain loops, and by the fast path once more as
 * a file that is too long for memory: same verdict, same words, same statistics. Once as the bytes are; and once with
 * the checksums mended, since a mutation hardly ever brings its CRC.
 */
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "fuzz.h"

enum { INFLATED_MAX = 1 << 20, BACKENDS = 4, STREAMED = 3 };

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

/* Corrects the Adler-32 after the zlib stream of all IDATs, if that inflates; its bytes may lie in several. */
static void mend_adler(uint8_t *png, size_t n)
{
	static uint8_t out[INFLATED_MAX];
	uint8_t *stream = xmalloc(n);
	size_t *from = xmalloc(n * sizeof(*from)), len = 0;

	for (size_t at = 8; n - at >= 12;) {
		uint32_t size = get32(png + at);

		if (size > n - at - 12)
			break;
		if (!memcmp(png + at + 4, "IDAT", 4)) {
			for (uint32_t i = 0; i < size; i++) {
				from[len] = at + 8 + i;
				stream[len++] = png[at + 8 + i];
			}
		}
		at += (size_t)size + 12;
	}

	z_stream z = { .next_in = stream, .avail_in = (uInt)len, .next_out = out, .avail_out = sizeof(out) };

	FUZZ_CHECK(inflateInit(&z) == Z_OK);
	inflateValidate(&z, 0);
	if (inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_in >= 4) {
		uint8_t sum[4];

		put32(sum, (uint32_t)adler32(1, out, (uInt)z.total_out));
		for (size_t i = 0; i < 4; i++)
			png[from[z.total_in - 4 + i]] = sum[i];
	}
	inflateEnd(&z);
	free(from);
	free(stream);
}

static void mend(uint8_t *png, size_t n)
{
	static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };

	if (n < 8)
		return;
	memcpy(png, signature, 8);
	mend_adler(png, n);
	for (size_t at = 8; n - at >= 12;) {
		uint32_t size = get32(png + at);

		if (size > n - at - 12)
			break;
		put32(png + at + 8 + size, (uint32_t)crc32(crc32(0, NULL, 0), png + at + 4, size + 4));
		at += (size_t)size + 12;
	}
}

static void compare(const struct batch *a, const struct batch *b, bool streamed)
{
	const struct batch_item *p = &a->items[0], *q = &b->items[0];

	FUZZ_CHECK(p->sample.status == q->sample.status);
	/* the end of a file that is streamed is not looked at: then it may be corrupt that is truncated */
	FUZZ_CHECK(streamed || p->sample.fault.kind == q->sample.fault.kind);
	FUZZ_CHECK(p->sample.fault.offset == q->sample.fault.offset);
	FUZZ_CHECK(!strcmp(p->sample.fault.text, q->sample.fault.text));
	FUZZ_CHECK(!strcmp(p->sample.warning.text, q->sample.warning.text));
	FUZZ_CHECK(!memcmp(&p->sample.refusals.pil, &q->sample.refusals.pil, sizeof(p->sample.refusals.pil)));
	FUZZ_CHECK(!memcmp(&p->sample.refusals.cv2, &q->sample.refusals.cv2, sizeof(p->sample.refusals.cv2)));
	FUZZ_CHECK(!memcmp(&p->sample.png, &q->sample.png, sizeof(p->sample.png)));
	FUZZ_CHECK(!memcmp(&p->stats, &q->stats, sizeof(p->stats)));
	FUZZ_CHECK(a->ids_count == b->ids_count);
	FUZZ_CHECK(a->ids_count == 0 || !memcmp(a->ids, b->ids, a->ids_count * sizeof(*a->ids)));
	FUZZ_CHECK(p->sample.status != SAMPLE_FAILED || a->ids_count == 0);
}

static void stream(struct input *in, const uint8_t *bytes, size_t n)
{
	in->fd = memfd_create("png", MFD_CLOEXEC);
	FUZZ_CHECK(in->fd >= 0 && write(in->fd, bytes, n) == (ssize_t)n);
	in->size = n;
}

static void measure(const uint8_t *data, size_t n)
{
	static const struct backend *const backends[BACKENDS] = { &backend_cpu_reference, &backend_cpu,
								  &backend_sim, [STREAMED] = &backend_cpu };
	static void *opened[BACKENDS];
	struct batch batch[BACKENDS];
	struct error err = ERROR_INIT;
	uint8_t *copy = fuzz_copy(data, n);

	for (int i = 0; i < BACKENDS; i++) {
		if (!opened[i])
			FUZZ_CHECK(backends[i]->open(&opened[i], fuzz_settings(), 0, &err) == STATUS_OK);
		batch_init(&batch[i]);
		struct batch_item *item = batch_add(&batch[i]);

		item->sample.path = "input";
		item->sample.format = FORMAT_PNG;
		item->sample.file_bytes = n;
		fault_clear(&item->sample.fault);
		fault_clear(&item->sample.warning);
		if (i == STREAMED)
			stream(&item->input, copy, n);
		else
			input_from_memory(&item->input, copy, n);
		backends[i]->measure(opened[i], &batch[i]);
		if (i)
			compare(&batch[0], &batch[i], i == STREAMED);
	}
	for (int i = 0; i < BACKENDS; i++)
		batch_release(&batch[i]);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *mended = fuzz_copy(data, n);

	measure(data, n);
	mend(mended, n);
	if (memcmp(mended, data, n) != 0)
		measure(mended, n);
	free(mended);
	return 0;
}
