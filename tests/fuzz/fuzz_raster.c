/*
 * BMP, GIF and TIFF masks: the first byte chooses the format, the rest is the file. The PNG made of it is measured from
 * memory and as a stream, which must come to the same; a PNG made of a raster that was read whole is read whole, too.
 */
#include <sys/stat.h>

#include "fuzz.h"
#include "png/decode.h"
#include "png/raster_png.h"
#include "read/raster.h"

struct outcome {
	bool opened;
	struct sample sample;
	uint64_t rows, sum; /* rows read, and a sum over their bytes */
};

static void open_input(struct input *in, const uint8_t *data, size_t n, bool streamed)
{
	input_init(in);
	if (streamed) {
		in->fd = fuzz_fd(data, n);
		in->size = n;
		FUZZ_CHECK(fstat(in->fd, &in->st) == 0); /* it must not change while it is read */
	} else {
		input_from_memory(in, data, n);
	}
}

static void decode(struct input *in, struct outcome *out)
{
	struct png_decoder *d;

	if (!png_decoder_open(&d, in, &fuzz_settings()->limits, &out->sample))
		return;
	const struct png_header *h = &out->sample.png;
	const size_t bytes = (size_t)h->width * h->channels * (h->bit_depth == 16 ? 2 : 1);
	const uint8_t *row;

	while (out->rows < h->height && (row = png_decoder_row(d))) {
		for (size_t i = 0; i < bytes; i++)
			out->sum = out->sum * 31 + row[i];
		out->rows++;
	}
	if (out->rows == h->height && png_decoder_finish(d))
		out->sample.status = SAMPLE_READ;
	png_decoder_close(d);
}

/* Reads the .npy that was made of an array. */
static void read_array(struct input *in, struct outcome *out)
{
	uint8_t bytes[4096];
	int64_t n;

	while ((n = input_read(in, bytes, sizeof(bytes), &out->sample.fault)) > 0) {
		for (int64_t i = 0; i < n; i++)
			out->sum = out->sum * 31 + bytes[i];
		out->rows += (uint64_t)n;
		if (out->rows > 1 << 24)
			break; /* of rows that are not stored */
	}
	if (n >= 0)
		out->sample.status = SAMPLE_READ;
}

static void read_raster(const uint8_t *data, size_t n, enum content content, bool streamed, struct outcome *out)
{
	struct raster raster = { 0 };
	struct input in;

	memset(out, 0, sizeof(*out));
	fault_clear(&out->sample.fault);
	fault_clear(&out->sample.warning);
	out->sample.status = SAMPLE_FAILED;
	open_input(&in, data, n, streamed);
	out->opened = raster_open(&raster, content, &in, VIEW_RAW, &out->sample.fault) &&
		      raster_as_png(&in, &raster, &fuzz_settings()->limits, &out->sample.fault);
	if (out->opened && raster.array[0])
		read_array(&in, out);
	else if (out->opened)
		decode(&in, out);
	input_release(&in);
	FUZZ_CHECK((out->sample.status == SAMPLE_FAILED) == (out->sample.fault.kind != FAULT_NONE));
	/* the PNG is ours: it is never what is damaged */
	FUZZ_CHECK(out->sample.status == SAMPLE_FAILED || out->sample.warning.kind == FAULT_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct outcome memory, streamed;

	if (n == 0)
		return 0;
	static const enum content contents[] = { CONTENT_BMP, CONTENT_GIF, CONTENT_TIFF };
	const enum content content = contents[data[0] % ARRAY_SIZE(contents)];
	uint8_t *copy = fuzz_copy(data + 1, n - 1);

	read_raster(copy, n - 1, content, false, &memory);
	read_raster(copy, n - 1, content, true, &streamed);
	FUZZ_CHECK(memory.opened == streamed.opened && memory.sample.status == streamed.sample.status);
	FUZZ_CHECK(memory.sample.fault.kind == streamed.sample.fault.kind);
	FUZZ_CHECK(memory.rows == streamed.rows && memory.sum == streamed.sum);
	FUZZ_CHECK(!memcmp(&memory.sample.png, &streamed.sample.png, sizeof(memory.sample.png)));
	free(copy);
	return 0;
}
