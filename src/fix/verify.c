/* `labelaudit fix --verify DIR`: whether a result still is what its receipt says. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/escape.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/write_all.h"
#include "fix/file_digest.h"
#include "fix/receipt.h"
#include "fix/tree.h"
#include "report/fields.h"

/* The folder, compared with its receipt. */
struct verification {
	int folder;
	const struct tree *tree; /* of the folder */
	bool *listed;            /* by the tree's index: the receipt has it; owned */
	uint64_t files, differences;
	struct strbuf *out;
};

static void differs(struct verification *v, const char *path, const char *how)
{
	v->differences++;
	escape_terminal(v->out, path, strlen(path));
	strbuf_addf(v->out, ": %s\n", how);
}

static int compare_place(const void *key, const void *element)
{
	return strcmp(key, ((const struct tree_entry *)element)->place);
}

static void compare_file(struct verification *v, const char *path, const char *state, const struct digest *want)
{
	const struct tree *tree = v->tree;
	const struct tree_entry *e =
		tree->count ? bsearch(path, tree->v, tree->count, sizeof(*tree->v), compare_place) : NULL;
	struct fault fault = FAULT_INIT;
	struct digest have = { 0 };
	struct input in;

	v->files++;
	bool is_link = e && e->kind == TREE_LINK && !strcmp(state, "link"); /* which may lead anywhere */

	if (!e || (!is_link && !path_is_beneath(v->folder, path))) {
		differs(v, path, "is missing");
		return;
	}
	v->listed[e - tree->v] = true;
	if (!strcmp(state, "link")) {
		if (e->kind != TREE_LINK)
			differs(v, path, "was a symbolic link");
		else if (!digest_link(v->folder, path, &have) || !digest_equal(&have, want))
			differs(v, path, "leads elsewhere");
		return;
	}
	input_init(&in);
	if (e->kind != TREE_FILE)
		differs(v, path, "is no file any more");
	else if (!input_open(&in, v->folder, path, &fault) || !digest_input(&in, -1, &have, &fault))
		differs(v, path, fault.text);
	else if (!digest_equal(&have, want))
		differs(v, path, "differs from the receipt");
	input_release(&in);
}

static bool is_hex(const char *s, size_t n)
{
	return strlen(s) == n && s[strspn(s, "0123456789abcdef")] == '\0';
}

/* An element of the manifest. */
struct listed_file {
	const char *path; /* owned */
	char state[16];
	struct digest output;
};

static const struct field output_list[] = {
	{ "bytes", FIELD_UINT, AT(digest, bytes) },
	{ "sha256", FIELD_CHARS, AT(digest, sha256) },
};
static const struct fields output_fields = FIELDS(output_list);

static const struct field record_list[] = {
	{ "path", FIELD_PATH, AT(listed_file, path) },
	{ "state", FIELD_CHARS, AT(listed_file, state) },
	{ "output", FIELD_OBJECT, AT(listed_file, output), .members = &output_fields },
};

/* Compares the file. */
static bool put_record(struct json_values *values, void *verification, void *row)
{
	const struct listed_file *r = row;

	if (!r->path || !is_hex(r->output.sha256, 64))
		return values_fail(values, "expected a path, and the SHA-256 of its file");
	compare_file(verification, r->path, r->state, &r->output);
	return true;
}

static const struct field_rows manifest_rows = { .fields = FIELDS(record_list),
						 .size = sizeof(struct listed_file),
						 .put = put_record };
static const struct field receipt_list[] = { { "manifest", FIELD_LIST, .rows = &manifest_rows } };
static const struct fields receipt_fields = FIELDS(receipt_list);

/* Returns whether the receipt ends in the hash of all bytes before it. */
static bool is_sealed(int fd)
{
	enum { PIECE = 1 << 16 };
	static const char begin[] = ",\n  \"" RECEIPT_SEAL "\": \"", end[] = "\"\n}\n";
	const size_t tail = strlen(begin) + 64 + strlen(end);
	char have[128], want[128], hash[65];
	struct sha256 sha;
	struct stat st;
	bool ok = fstat(fd, &st) == 0 && st.st_size >= (off_t)tail;
	uint64_t size = ok ? (uint64_t)st.st_size - tail : 0;
	FREED uint8_t *piece = xmalloc(PIECE);

	sha256_init(&sha);
	for (uint64_t at = 0; ok && at < size;) {
		size_t n = (size_t)MIN(size - at, (uint64_t)PIECE);

		ok = pread_all(fd, piece, n, at) == (int64_t)n;
		if (ok)
			sha256_add(&sha, piece, n);
		at += n;
	}
	sha256_hex(&sha, hash);
	snprintf(want, sizeof(want), "%s%s%s", begin, hash, end);
	return ok && pread_all(fd, have, tail, size) == (int64_t)tail && !memcmp(have, want, tail);
}

static enum status read_receipt(struct verification *v, const char *folder, struct error *err)
{
	int fd = openat(v->folder, RECEIPT_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	RELEASED struct strbuf name = STRBUF_INIT;
	struct json_values values;

	if (fd < 0)
		return error_set(err, "%s has no " RECEIPT_NAME ": it is no result, or an unfinished one", folder);
	strbuf_addf(&name, "%s/" RECEIPT_NAME, folder);
	values_open(&values, fd, name.s, err);
	bool ok = values_next(&values) && fields_read(&values, &receipt_fields, v) && values_next(&values);

	values_close(&values);
	if (ok && GUARD(receipt_that_was_changed, !is_sealed(fd)))
		differs(v, RECEIPT_NAME, "was changed since it was written");
	close(fd);
	return ok ? STATUS_OK : STATUS_FAILED;
}

/* Reports what the receipt does not have, but for the receipt. */
static void report_others(struct verification *v)
{
	for (size_t i = 0; i < v->tree->count; i++) {
		const struct tree_entry *e = &v->tree->v[i];

		if (e->kind != TREE_FOLDER && !v->listed[i] && strcmp(e->place, RECEIPT_NAME) != 0)
			differs(v, e->place, "is not in the receipt");
	}
}

enum status receipt_verify(const char *folder, struct strbuf *out, struct error *err)
{
	struct verification v = { .folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .out = out };
	struct tree tree;

	if (v.folder < 0)
		return error_set_errno(err, errno, "cannot read the folder %s", folder);
	const struct string_list alone = { .v = &folder, .count = 1 };
	enum status status = tree_gather(&tree, NULL, &alone, err);

	v.tree = &tree;
	v.listed = xcalloc(tree.count + 1, sizeof(*v.listed));
	if (status == STATUS_OK)
		status = read_receipt(&v, folder, err);
	if (status == STATUS_OK) {
		report_others(&v);
		strbuf_addf(out, "%s: ", v.differences ? "FAIL" : "PASS");
		strbuf_add_count(out, v.files, "file");
		if (v.differences) {
			strbuf_adds(out, ", ");
			strbuf_add_count(out, v.differences, "difference");
		}
		strbuf_addch(out, '\n');
		status = v.differences ? STATUS_FINDINGS : STATUS_OK;
	}
	free(v.listed);
	tree_release(&tree);
	close(v.folder);
	return status;
}
