/*
 * Recognises a file by its first bytes: as content, as a text that may hold labels, by every reader that may claim it,
 * and as a photo, whose size is in its header. A picture is decoded as far as it shows what it is.
 */
#include <fcntl.h>

#include "base/mem.h"
#include "fuzz.h"
#include "layout/look.h"
#include "layout/text_probe.h"
#include "read/input.h"
#include "read/photo.h"
#include "read/text_look.h"

static void look_at_picture(const uint8_t *data, size_t n)
{
	struct photo_size size;
	struct fault fault;

	fault_clear(&fault);
	bool ok = photo_read_size(AT_FDCWD, fuzz_path(data, n, NULL), NULL, &size, &fault);

	FUZZ_CHECK(ok == (fault.kind == FAULT_NONE));
	FUZZ_CHECK(ok || fault.text[0]);
	FUZZ_CHECK(!ok || (size.width && size.height && size.orientation >= 1 && size.orientation <= 8));
}

static void look_at_text(const uint8_t *head, size_t n)
{
	for (int whole = 0; whole < 2; whole++) {
		const char *text = (const char *)head;
		struct text_look look;

		text_look(text, n, whole, &look);
		FUZZ_CHECK(!look.form == (look.kind != TEXT_IS_BOXES));
		FUZZ_CHECK(n || (look.kind == TEXT_IS_NONE && !look.numbers));
	}
}

static void look_as_readers(const uint8_t *head, size_t n)
{
	static const char *const paths[] = {
		"x.txt", "labels/x.txt",       "x.json",      "x.csv", "x.cls", "train-labels-idx1-ubyte", "x.png",
		"x.npy", "noisy_labels_0.tsv", "classes.txt", "x"
	};
	const unsigned all = (KIND_BIT(KIND_IMAGEFOLDER) << 1) - 1;

	for (size_t i = 0; i < ARRAY_SIZE(paths) * 2; i++) {
		const char *path = paths[i / 2], *slash = strrchr(path, '/');
		const struct file_head p = {
			.path = path,
			.name = slash ? slash + 1 : path,
			.content = identify(head, n),
			.head = head,
			.n = n,
			.is_explicit = i % 2,
			.has_photo_name = strstr(path, ".png"),
		};

		struct text_look look;

		FUZZ_CHECK(!is_broken_label_text(&p, 0));
		text_look((const char *)head, n, n < PEEK_BYTES, &look);
		table_has_labels(&p, &look, NULL);
		table_has_labels(&p, &look, "label");
		/* all of them, which a walk asks for, and each alone, as --kind has it */
		for (unsigned kinds = all; kinds; kinds = kinds == all ? KIND_BIT(KIND_MASK) : kinds << 1 & all) {
			const struct label_format *reader = format_recognise(&p, kinds);

			FUZZ_CHECK(!reader || (KIND_BIT(reader->kind) & kinds));
			is_broken_label_text(&p, kinds);
		}
	}
}

/* Looks at it as at a member of an archive, of every kind of name. */
static void look_at_member(const uint8_t *data, size_t n)
{
	static const char *const names[] = { "x.png", "x.gif", "x.bmp", "x.txt", "x.json", "x.csv", "x.npy", "x" };
	static const struct settings settings = { 0 };
	uint8_t *bytes = xmalloc(n + INPUT_PADDING);

	memset(bytes + n, 0, INPUT_PADDING);
	memcpy(bytes, data, n);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct entry entry = {
			.path = "x.tar", .name = names[i], .member = names[i], .bytes = bytes, .bytes_len = n, .size = n
		};
		struct entry_probe probe;
		struct look look;

		probe_init(&probe);
		look_at(&entry, &probe, &settings, &look);
		FUZZ_CHECK(look.content > LOOK_NONE && look.content < LOOKS && look.names_count <= LOOK_NAMES_MAX);
		look_release(&look);
		probe_close(&probe);
	}
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t head_len = MIN(n, (size_t)PEEK_BYTES);
	uint8_t *head = fuzz_copy(data, head_len);
	struct fault fault;

	fault_clear(&fault);
	identify_fault(identify(head, head_len), head, head_len, "a label file", &fault);
	FUZZ_CHECK(fault.kind != FAULT_NONE && fault.text[0]);
	look_at_text(head, head_len);
	look_as_readers(head, head_len);
	look_at_picture(data, n);
	free(head);
	look_at_member(data, n);
	return 0;
}
