/*
 * The views, by known values; and against Pillow and OpenCV themselves, where a Python that has both is installed: the
 * luma of all 2^24 colours, and generated files of every kind. LABELAUDIT_PYTHON names the interpreter.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "check_main.h"
#include "effort.h"
#include "png/decode.h"
#include "png/view.h"

static struct png_header header(unsigned colour_type, unsigned depth)
{
	static const uint8_t channels[] = { 1, 0, 3, 1, 2, 0, 4 };

	return (struct png_header){ .width = 4,
				    .height = 1,
				    .bit_depth = (uint8_t)depth,
				    .colour_type = (uint8_t)colour_type,
				    .channels = channels[colour_type] };
}

START_TEST(grey_is_scaled_as_the_loader_does)
{
	static const struct {
		unsigned depth;
		enum view view;
		uint8_t sample, id;
		bool identity;
	} t[] = {
		{ 1, VIEW_PIL, 1, 1, true },     { 1, VIEW_RAW, 1, 1, true },   { 1, VIEW_CV2, 1, 255, false },
		{ 2, VIEW_PIL, 3, 255, false },  { 2, VIEW_PIL, 1, 85, false }, { 2, VIEW_RAW, 3, 3, true },
		{ 2, VIEW_CV2, 2, 170, false },  { 4, VIEW_PIL, 1, 17, false }, { 4, VIEW_RAW, 15, 15, true },
		{ 4, VIEW_CV2, 15, 255, false }, { 8, VIEW_PIL, 77, 77, true }, { 8, VIEW_CV2, 77, 77, true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct png_header png = header(PNG_GREY, t[i].depth);
		struct view_map m;
		uint8_t id;

		view_map_init(&m, &png, t[i].view);
		ck_assert(m.has_ids && !m.wide);
		ck_assert_int_eq(m.identity, t[i].identity);
		view_map_row(&m, &t[i].sample, 1, &id);
		ck_assert_uint_eq(id, t[i].id);
	}
}
END_TEST

START_TEST(sixteen_bits)
{
	struct png_header png = header(PNG_GREY, 16);
	uint16_t row[4] = { 0, 255, 256, 65535 }, wide[4];
	uint8_t ids[4];
	struct view_map m;

	view_map_init(&m, &png, VIEW_PIL);
	ck_assert(m.wide && m.identity && m.has_ids);
	view_map_row(&m, row, 4, wide);
	ck_assert_mem_eq(wide, row, sizeof(row));
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(!m.wide && !m.identity);
	view_map_row(&m, row, 4, ids);
	ck_assert_mem_eq(ids, "\0\0\1\377", 4);
}
END_TEST

START_TEST(palettes_are_indices_or_luma)
{
	struct png_header png = header(PNG_PALETTE, 4);
	uint8_t row[3] = { 0, 1, 15 }, ids[3];
	struct view_map m;

	png.palette_entries = 2;
	memcpy(png.palette[1], "\200\0\0", 3); /* VOC's aeroplane */
	view_map_init(&m, &png, VIEW_PIL);
	ck_assert(m.identity);
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(!m.identity);
	view_map_row(&m, row, 3, ids);
	ck_assert_mem_eq(ids, "\0\46\0", 3);
	for (unsigned v = 0; v < 16; v++)
		memset(png.palette[v], (int)v, 3);
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(m.identity); /* grey palette: the luma is the index */
}
END_TEST

START_TEST(several_channels_have_ids_for_cv2_alone)
{
	struct png_header png = header(PNG_GREY_ALPHA, 8);
	struct view_map m;
	uint8_t ids[2];

	view_map_init(&m, &png, VIEW_PIL);
	ck_assert(!m.has_ids && !m.identity);
	view_map_init(&m, &png, VIEW_RAW);
	ck_assert(!m.has_ids);
	view_map_init(&m, &png, VIEW_CV2);
	ck_assert(m.has_ids && !m.identity && !m.wide);
	view_map_row(&m, "\5\377\6\0", 2, ids);
	ck_assert_mem_eq(ids, "\5\6", 2);
	png = header(PNG_RGBA, 8);
	view_map_init(&m, &png, VIEW_CV2);
	view_map_row(&m, "\200\0\0\0\7\7\7\377", 2, ids);
	ck_assert_mem_eq(ids, "\46\7", 2);
}
END_TEST

/* A Python that has cv2, numpy and PIL, or NULL: to import them takes half a second. */
static const char *interpreter;

static void find_python(void)
{
	static const char *const names[] = { NULL, "python3", "/usr/bin/python3" };
	char command[1024];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *name = i ? names[i] : getenv("LABELAUDIT_PYTHON");

		if (!name)
			continue;
		snprintf(command, sizeof(command), "%s -c 'import cv2, numpy, PIL' 2>/dev/null", name);
		if (system(command) == 0) {
			interpreter = name;
			return;
		}
	}
}

static bool has_python(void)
{
	if (!interpreter)
		printf("skipped: no python3 with cv2, numpy and PIL\n");
	return interpreter;
}

static char scratch[64];

static void make_scratch(void)
{
	snprintf(scratch, sizeof(scratch), "/tmp/labelaudit-view-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scratch));
}

static void remove_scratch(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", scratch);
	ck_assert_int_eq(system(command), 0);
}

/* Runs script with the scratch folder as its argument; its output. */
static FILE *run_python(const char *script)
{
	char path[128], command[1024];

	snprintf(path, sizeof(path), "%s/script.py", scratch);

	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(script, f);
	fclose(f);
	snprintf(command, sizeof(command), "%s %s %s", interpreter, path, scratch);
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	return f;
}

START_TEST(luma_of_every_colour_is_opencvs)
{
	/* in `make check` one in 16 colours, of all values of each channel */
	static const char script[] =
		"import os, sys, cv2, numpy as np\n"
		"rows, step = (4096, 1) if os.environ.get('LABELAUDIT_TEST') == 'all' else (256, 65521)\n"
		"v = (np.arange(4096 * rows, dtype=np.uint64) * step & 0xffffff).astype(np.uint32).reshape(rows, "
		"4096)\n"
		"bgr = np.dstack([v & 255, v >> 8 & 255, v >> 16]).astype(np.uint8)\n"
		"name = sys.argv[1] + '/all.png'\n"
		"cv2.imwrite(name, bgr, [cv2.IMWRITE_PNG_COMPRESSION, 1])\n"
		"sys.stdout.buffer.write(cv2.imread(name, 0).tobytes())\n";
	uint8_t row[4096];
	unsigned differ = 0;

	if (!has_python())
		return;
	make_scratch();

	FILE *f = run_python(script);

	for (uint32_t y = 0; y < effort(256, 4096); y++) {
		ck_assert_uint_eq(fread(row, 1, sizeof(row), f), sizeof(row));
		for (uint32_t x = 0; x < 4096; x++) {
			uint32_t v = (y << 12 | x) * effort(65521, 1) & 0xffffff;

			differ += row[x] != view_luma((uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v);
		}
	}
	ck_assert_int_eq(pclose(f), 0);
	remove_scratch();
	printf("luma: %u of %u colours differ from cv2's\n", differ, effort(1u << 20, 1u << 24));
	ck_assert_uint_eq(differ, 0);
}
END_TEST

/*
 * Writes files of every colour type and depth, plain and Adam7 (with an encoder of its own: Pillow and OpenCV write few
 * of them), and for each and each loader a line `view name bytes` followed by the ids as the loader gives them.
 */
static const char files_script[] =
	"import sys, zlib, struct, itertools, cv2, numpy as np\n"
	"from PIL import Image\n"
	"rng = np.random.default_rng(7)\n"
	"def chunk(t, d): return struct.pack('>I', len(d)) + t + d + struct.pack('>I', zlib.crc32(t + d))\n"
	"passes = [(0,0,8,8),(4,0,8,8),(0,4,4,8),(2,0,4,4),(0,2,2,4),(1,0,2,2),(0,1,1,2)]\n"
	"def rows(a, depth):\n"
	"    out = b''\n"
	"    for r in a:\n"
	"        s = r.reshape(-1)\n"
	"        if depth == 16: b = s.astype('>u2').tobytes()\n"
	"        elif depth == 8: b = s.astype(np.uint8).tobytes()\n"
	"        else: b = np.packbits(np.unpackbits(s.astype(np.uint8)[:, None], axis=1)[:, 8 - "
	"depth:].reshape(-1)).tobytes()\n"
	"        out += b'\\0' + b\n"
	"    return out\n"
	"w, h = 61, 37\n"
	"kinds = [(0,1),(0,2),(0,4),(0,8),(0,16),(2,8),(2,16),(3,1),(3,2),(3,4),(3,8),(4,8),(4,16),(6,8),(6,16)]\n"
	"for (ctype, depth), lace, trns in itertools.product(kinds, (0, 1), (0, 1)):\n"
	"    if trns and ctype in (4, 6): continue\n"
	"    ch = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[ctype]\n"
	"    a = rng.integers(0, 1 << depth, (h, w, ch))\n"
	"    if lace: raw = b''.join(rows(a[y0::dy, x0::dx], depth) for x0, y0, dx, dy in passes if x0 < w and y0 < "
	"h)\n"
	"    else: raw = rows(a, depth)\n"
	"    f = b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, depth, ctype, 0, 0, lace))\n"
	"    if ctype == 3: f += chunk(b'PLTE', rng.integers(0, 256, 3 << depth).astype(np.uint8).tobytes())\n"
	"    if trns: f += chunk(b'tRNS', {0: b'\\0\\1', 2: b'\\0\\1\\0\\1\\0\\1', 3: b'\\0\\200'}[ctype])\n"
	"    f += chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b'')\n"
	"    name = '%s/%d-%d-%d-%d.png' % (sys.argv[1], ctype, depth, lace, trns)\n"
	"    open(name, 'wb').write(f)\n"
	"    views = [('cv2', cv2.imread(name, 0))]\n"
	"    if ch == 1: views.append(('pil', np.array(Image.open(name))))\n"
	"    for view, ids in views:\n"
	"        wide = view == 'pil' and depth == 16\n"
	"        b = ids.astype(np.uint16 if wide else np.uint8).tobytes()\n"
	"        assert (ids.astype(np.uint16 if wide else np.uint8) == ids).all() and ids.shape == (h, w)\n"
	"        sys.stdout.buffer.write(b'%s %s %d\\n' % (view.encode(), name.encode(), len(b)) + b)\n";

/* The ids of a file as we see them; their size. */
static size_t read_ids(const char *path, enum view view, uint8_t *ids)
{
	static const struct limits no_limits;
	struct sample sample = { 0 };
	struct input in;
	struct png_decoder *d;
	struct view_map m;
	size_t n = 0;

	input_init(&in);
	ck_assert(input_open(&in, AT_FDCWD, path, &sample.fault));
	ck_assert_msg(png_decoder_open(&d, &in, &no_limits, &sample), "%s: %s", path, sample.fault.text);
	view_map_init(&m, &sample.png, view);
	ck_assert(m.has_ids);
	for (uint32_t y = 0; y < sample.png.height; y++) {
		const void *row = png_decoder_row(d);

		ck_assert_msg(row != NULL, "%s: %s", path, sample.fault.text);
		view_map_row(&m, row, sample.png.width, ids + n);
		n += (size_t)sample.png.width * (m.wide ? 2 : 1);
	}
	ck_assert(png_decoder_finish(d));
	png_decoder_close(d);
	input_release(&in);
	return n;
}

START_TEST(files_read_as_pillow_and_opencv_read_them)
{
	static uint8_t want[1 << 16], got[1 << 16];
	char line[256], view[4], path[200];
	unsigned files = 0;

	if (!has_python())
		return;
	make_scratch();

	FILE *f = run_python(files_script);

	while (fgets(line, sizeof(line), f)) {
		size_t size;

		ck_assert_int_eq(sscanf(line, "%3s %199s %zu", view, path, &size), 3);
		ck_assert_uint_le(size, sizeof(want));
		ck_assert_uint_eq(fread(want, 1, size, f), size);
		ck_assert_uint_eq(read_ids(path, strcmp(view, "pil") == 0 ? VIEW_PIL : VIEW_CV2, got), size);

		unsigned differ = 0;

		for (size_t i = 0; i < size; i++)
			differ += want[i] != got[i];
		ck_assert_msg(differ == 0, "%s %s: %u of %zu bytes differ", view, path, differ, size);
		files++;
	}
	ck_assert_int_eq(pclose(f), 0);
	remove_scratch();
	printf("views: %u arrays equal to Pillow's and cv2's\n", files);
	ck_assert_uint_gt(files, 40);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("view");
	TCase *unit = tcase_create("unit"), *loaders = tcase_create("loaders");

	tcase_add_test(unit, grey_is_scaled_as_the_loader_does);
	tcase_add_test(unit, sixteen_bits);
	tcase_add_test(unit, palettes_are_indices_or_luma);
	tcase_add_test(unit, several_channels_have_ids_for_cv2_alone);
	tcase_add_unchecked_fixture(loaders, find_python, NULL);
	tcase_add_test(loaders, luma_of_every_colour_is_opencvs);
	tcase_add_test(loaders, files_read_as_pillow_and_opencv_read_them);
	tcase_set_timeout(loaders, 120);
	suite_add_tcase(s, unit);
	suite_add_tcase(s, loaders);
	return s;
}

CHECK_MAIN(suite)
