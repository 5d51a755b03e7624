/* Presets: the table is whole, the ids and names are those of the datasets, and what is typed beside one counts. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "cli/options_table.h"
#include "cli/presets.h"
#include "options_line.h"

static void use(const char *preset)
{
	char line[128];

	snprintf(line, sizeof(line), "--preset %s m", preset);
	accept_line(line);
}

static enum id_role role(int64_t id)
{
	return class_set_role(&o.settings.classes, id);
}

static const char *name(int64_t id)
{
	const char *s = class_set_get_name(&o.settings.classes, id);

	return s ? s : "";
}

static uint64_t size(void)
{
	return id_ranges_size(&o.settings.classes.classes);
}

static int32_t colour(uint32_t rgb)
{
	return colour_table_find(&o.settings.colours, rgb);
}

static void teardown(void)
{
	options_release(&o);
}

/* Returns whether the text of a preset, or of the one that it is based on, has a line. */
static bool says(const struct preset *p, const char *line)
{
	const char *based = strstr(p->yaml, "\npreset: ");
	struct error ignored = ERROR_INIT;
	char base[64] = "";

	if (strstr(p->yaml, line))
		return true;
	if (based)
		sscanf(based, "\npreset: %63s", base);
	return based && says(preset_find(base, &ignored), line);
}

/* Each row can be used; each class has a name, and no two the same; the rows are sorted, so --preset list is; the first
   line is a note. */
TEST(table)
{
	for (size_t i = 0; i < preset_count; i++) {
		const struct preset *p = &preset_table[i];
		const struct id_ranges *r;

		use(p->name);
		ck_assert_int_eq(o.settings.reduce_zero_label, says(p, "\nreduce-zero-label: true\n"));
		r = &o.settings.classes.classes;
		ck_assert_uint_gt(r->count, 0);
		for (size_t j = 0; j < r->count; j++)
			for (int64_t id = r->v[j].first; id <= r->v[j].last; id++) {
				ck_assert_msg(name(id)[0], "%s: %d has no name", p->name, (int)id);
				for (int64_t k = 0; k < id; k++)
					ck_assert_msg(strcmp(name(k), name(id)) != 0, "%s: %s twice", p->name,
						      name(id));
			}
		ck_assert_str_eq(name(r->v[r->count - 1].last + 1), "");
		ck_assert(!o.settings.reduce_zero_label || role(255) == ID_IGNORED);
		ck_assert(!strncmp(p->yaml, "# ", 2));
		ck_assert_uint_gt(strcspn(p->yaml, "\n"), 12);
		ck_assert(i == 0 || strcmp(preset_table[i - 1].name, p->name) < 0);
		/* a colour for each class, or for none */
		const struct colour_table *t = &o.settings.colours;

		ck_assert(t->presumed == (t->count > 0));
		for (int64_t id = 0; t->count && id < r->v[r->count - 1].last; id++) {
			bool found = !name(id)[0];

			for (size_t j = 0; j < t->count; j++)
				found |= t->v[j].id == id + o.settings.reduce_zero_label;
			ck_assert_msg(found, "%s: %d has no colour", p->name, (int)id);
		}
	}
}

/* The first, the last and one in the middle, typed from the datasets' own pages. */
TEST(ids_and_names)
{
	static const struct {
		const char *preset;
		uint64_t size;
		int64_t ignored; /* -1: none */
		int64_t id[3];
		const char *name[3];
	} rows[] = {
		{ "voc", 21, 255, { 0, 15, 20 }, { "background", "person", "tvmonitor" } },
		{ "cityscapes", 19, 255, { 0, 11, 18 }, { "road", "person", "bicycle" } },
		{ "bdd100k", 19, 255, { 0, 13, 18 }, { "road", "car", "bicycle" } },
		{ "cityscapes-labelids", 34, -1, { 0, 24, 33 }, { "unlabeled", "person", "bicycle" } },
		{ "kitti", 34, -1, { 7, 26, 33 }, { "road", "car", "bicycle" } },
		{ "ade20k", 150, 255, { 0, 12, 149 }, { "wall", "person", "flag" } },
		{ "camvid", 11, 11, { 0, 8, 10 }, { "sky", "car", "bicyclist" } },
		{ "coco-stuff", 171, 255, { 0, 80, 170 }, { "person", "banner", "wood" } },
		{ "coco-stuff-raw", 171, 255, { 0, 91, 181 }, { "person", "banner", "wood" } },
		{ "pascal-context-59", 59, 255, { 0, 36, 58 }, { "aeroplane", "person", "wood" } },
		{ "pascal-context-60", 60, 255, { 0, 37, 59 }, { "background", "person", "wood" } },
		{ "loveda", 7, 255, { 0, 3, 6 }, { "background", "water", "agricultural" } },
		{ "potsdam", 6, 255, { 0, 4, 5 }, { "impervious_surface", "car", "clutter" } },
		{ "vaihingen", 6, 255, { 0, 3, 5 }, { "impervious_surface", "tree", "clutter" } },
		{ "isaid", 16, 255, { 0, 14, 15 }, { "background", "plane", "Harbor" } },
		{ "mapillary-v1.2", 66, -1, { 0, 13, 65 }, { "Bird", "Road", "Unlabeled" } },
		{ "mapillary-v2.0", 124, -1, { 0, 21, 123 }, { "Bird", "Road", "Unlabeled" } },
		{ "nyuv2-40", 40, 255, { 0, 30, 39 }, { "wall", "person", "other prop" } },
		{ "oxford-pet", 3, -1, { 1, 2, 3 }, { "foreground", "background", "not classified" } },
		{ "drive", 2, -1, { 0, 0, 1 }, { "background", "background", "vessel" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		use(rows[i].preset);
		ck_assert_msg(size() == rows[i].size, "%s", rows[i].preset);
		for (size_t j = 0; j < 3; j++)
			ck_assert_msg(!strcmp(name(rows[i].id[j]), rows[i].name[j]), "%s: %d is '%s', not '%s'",
				      rows[i].preset, (int)rows[i].id[j], name(rows[i].id[j]), rows[i].name[j]);
		ck_assert_int_eq(role(255), rows[i].ignored == 255 ? ID_IGNORED : ID_INVALID);
		if (rows[i].ignored >= 0)
			ck_assert_int_eq(role(rows[i].ignored), ID_IGNORED);
	}
	/* COCO's eleven things without masks: street sign, hat, shoe, ... (its ids, less 1) */
	static const int gaps[] = { 11, 25, 28, 29, 44, 65, 67, 68, 70, 82, 90 };

	use("coco-stuff-raw");
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++)
		ck_assert_int_eq(role(gaps[i]), ID_INVALID);
	ck_assert_str_eq(name(12), "stop sign");
	ck_assert_str_eq(name(89), "toothbrush");
	use("oxford-pet");
	ck_assert_int_eq(role(0), ID_INVALID);
}

/* A user may copy the file of a preset: as --config it declares the same, but for names that it numbers anew. */
TEST(files)
{
	for (size_t i = 0; i < preset_count; i++) {
		const char *based = strstr(preset_table[i].yaml, "\npreset: ");
		const bool names_of_other = based && strstr(based, "\nclasses: ");
		struct strbuf ids[2] = { STRBUF_INIT, STRBUF_INIT };
		char line[128];

		for (size_t file = 0; file < 2; file++) {
			snprintf(line, sizeof(line), file ? "--config src/cli/presets/%s.yaml m" : "--preset %s m",
				 preset_table[i].name);
			accept_line(line);
			id_ranges_format(&o.settings.classes.classes, &ids[file]);
			strbuf_addf(&ids[file], " %d ", o.settings.reduce_zero_label);
			id_ranges_format(&o.settings.classes.ignored, &ids[file]);
			for (size_t id = 0; id < o.settings.classes.names_count && !names_of_other; id++)
				strbuf_addf(&ids[file], "\n%s", name((int64_t)id));
		}
		ck_assert_str_eq(ids[0].s, ids[1].s);
		strbuf_release(&ids[0]);
		strbuf_release(&ids[1]);
	}
}

TEST(beside_other_options)
{
	accept_line("--preset voc -c 2 m"); /* --classes replaces classes and names, before or after */
	ck_assert_uint_eq(size(), 2);
	ck_assert_str_eq(name(0), "");
	ck_assert_int_eq(role(255), ID_IGNORED);
	accept_line("-c 2 --preset voc m");
	ck_assert_uint_eq(size(), 2);
	accept_line("--preset voc -i 7 m"); /* --ignore adds */
	ck_assert_int_eq(role(7), ID_IGNORED);
	ck_assert_int_eq(role(255), ID_IGNORED);
	ck_assert_int_eq(role(8), ID_CLASS);
	accept_line("--preset ade20k --preset camvid m"); /* the last one, and nothing of the first */
	ck_assert(!o.settings.reduce_zero_label);
	ck_assert_uint_eq(size(), 11);
	ck_assert_int_eq(role(255), ID_INVALID);
	accept_line("--preset camvid --reduce-zero-label m");
	ck_assert(o.settings.reduce_zero_label);
	ck_assert_int_eq(parse("--preset cityscape m"), STATUS_FAILED);
	ck_assert_str_eq(err.text, "--preset: there is no preset 'cityscape'; did you mean cityscapes?");
	ck_assert_int_eq(parse("--preset zzzzzz m"), STATUS_FAILED);
	ck_assert_str_eq(err.text, "--preset: there is no preset 'zzzzzz'; --preset list prints them");
	ck_assert_int_eq(parse("--preset voc"), STATUS_FAILED);
	ck_assert_ptr_nonnull(strstr(err.text, "no PATH"));
	ck_assert_int_eq(parse("rule --preset voc"), STATUS_FAILED);
}

TEST(list)
{
	struct strbuf text = STRBUF_INIT;

	accept_line("--preset list");
	ck_assert_int_eq(o.command, COMMAND_PRESETS);
	accept_line("-c 3 --preset=list --no-such m");
	ck_assert_int_eq(o.command, COMMAND_PRESETS);
	presets_list(&text);
	ck_assert_ptr_nonnull(strstr(text.s, "voc                  --classes 21 --ignore 255\n"));
	ck_assert_ptr_nonnull(strstr(text.s, "ade20k               --classes 150 --ignore 255 --reduce-zero-label\n"));
	ck_assert_ptr_nonnull(strstr(text.s, "\ncityscapes-labelids  --classes 34\n"));
	strbuf_release(&text);
}

/* Colours have the ids in files. Typed values replace them, and so do other classes. */
TEST(colours)
{
	use("voc");
	ck_assert(colour(0x000000) == 0 && colour(0x800000) == 1 && colour(0x004080) == 20 && colour(0xe0e0c0) == 255);
	use("potsdam");
	ck_assert(colour(0x000000) == 0 && colour(0xffffff) == 1 && colour(0xff0000) == 6);
	use("cityscapes");
	ck_assert(colour(0x804080) == 0 && colour(0x770b20) == 18 && colour(0x000000) == 255);
	use("comma10k");
	ck_assert(colour(0x402020) == 0 && colour(0xcc00ff) == 4);
	accept_line("--preset voc --colors none m");
	ck_assert_uint_eq(o.settings.colours.count, 0);
	accept_line("--preset voc --colors 1=#000000 m");
	ck_assert(o.settings.colours.count == 1 && !o.settings.colours.presumed);
	accept_line("--preset voc --classes 3 m");
	ck_assert_uint_eq(o.settings.colours.count, 0);
}

FIXTURE(NULL, teardown)
