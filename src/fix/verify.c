/* `labelaudit fix --verify DIR`: whether a result still is what its receipt says. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/escape.h"
#include "base/mem.h"
#include "fix/file_digest.h"
#include "fix/receipt.h"
#include "report/json_values.h"

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
	if (!e || !path_is_beneath(v->folder, path)) {
		differs(v, path, "is missing");
		return;
	}
	v->listed[e - tree->v] = true;
	if (!strcmp(state, "link")) {
		if (e->kind != TREE_LINK)
			differs(v, path, "was a symbolic link");
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

/* Reads an element of the manifest, and compares the file. */
static bool read_record(struct json_values *values, void *context)
{
	struct verification *v = context;
	struct digest want = { 0 };
	char hash[40] = "", state[16] = "", *path = NULL;
	const struct values_field output[] = {
		{ "bytes", .u64 = &want.bytes },
		{ "xxh3_128", .buffer = hash, .size = sizeof(hash) },
		{ "sha256", .buffer = want.sha256, .size = sizeof(want.sha256) },
	};
	const struct values_field fields[] = {
		{ "path", .path = &path },
		{ "state", .buffer = state, .size = sizeof(state) },
		{ "output", .fields = output, .fields_count = ARRAY_SIZE(output) },
	};
	bool ok = values_fields(values, fields, ARRAY_SIZE(fields));
	bool is_link = !strcmp(state, "link");

	if (ok && (!path || (!is_link && (!is_hex(hash, 32) || !is_hex(want.sha256, 64)))))
		ok = values_fail(values, "expected a path, and the hashes of its file");
	if (ok) {
		if (!is_link) {
			char low[17];

			memcpy(low, hash + 16, sizeof(low));
			hash[16] = '\0';
			want.xxh3[0] = strtoull(hash, NULL, 16);
			want.xxh3[1] = strtoull(low, NULL, 16);
		}
		compare_file(v, path, state, &want);
	}
	free(path);
	return ok;
}

static enum status read_receipt(struct verification *v, const char *folder, struct error *err)
{
	bool unfinished = false;
	const struct values_field fields[] = { { "unfinished", .truth = &unfinished },
					       { "manifest", .each = read_record, .context = v } };
	int fd = openat(v->folder, RECEIPT_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct strbuf name = STRBUF_INIT;
	struct json_values values;

	if (fd < 0)
		return error_set_errno(err, errno, "cannot read %s/" RECEIPT_NAME, folder);
	strbuf_addf(&name, "%s/" RECEIPT_NAME, folder);
	values_open(&values, fd, name.s, err);
	bool ok = values_next(&values) && values_fields(&values, fields, ARRAY_SIZE(fields)) && values_next(&values);

	values_close(&values);
	if (ok && unfinished)
		ok = error_set(err, "%s: the result is unfinished", name.s) == STATUS_OK;
	strbuf_release(&name);
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
	enum status status = tree_gather(&tree, NULL, &folder, 1, err);

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
