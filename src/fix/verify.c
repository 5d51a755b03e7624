/* `labelaudit fix --verify DIR`: whether a result still is what its receipt says. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
#include "fix/members.h"
#include "fix/receipt.h"
#include "report/json_values.h"

/* A member of an archive, as the receipt has it. */
struct member_digest {
	char *name; /* owned */
	struct digest digest;
	bool met;
};

/* The folder, compared with its receipt. */
struct verification {
	int folder;
	const struct tree *tree; /* of the folder */
	bool *listed;            /* by the tree's index: the receipt has it; owned */
	uint64_t files, differences;
	struct strbuf *out;
	struct member_digest *members; /* of the record that is read; owned */
	size_t members_count, members_cap;
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

/* ---- archives ---------------------------------------------------------------------------------------------------- */

static int compare_members(const void *pa, const void *pb)
{
	const struct member_digest *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static int compare_member_name(const void *key, const void *element)
{
	return strcmp(key, ((const struct member_digest *)element)->name);
}

/* Fills the digest of the current member. Returns false if it cannot be read. */
static bool digest_member(struct members *m, struct digest *digest)
{
	struct fault fault = m->member.fault;
	struct input in;

	input_init(&in);
	bool ok =
		fault.kind == FAULT_NONE && members_open_input(m, &in, &fault) && digest_input(&in, -1, digest, &fault);

	input_release(&in);
	return ok;
}

/* Reports the members of an archive that differ from those of its record. Returns whether there is one. */
static bool compare_members_of(struct verification *v, const char *path)
{
	const struct limits limits = { 0 };
	uint64_t before = v->differences;
	struct fault fault = FAULT_INIT;
	struct strbuf place = STRBUF_INIT;
	struct members m;

	if (v->members_count)
		qsort(v->members, v->members_count, sizeof(*v->members), compare_members);
	bool ok = members_open(&m, v->folder, path, &limits, &fault);

	while (ok && members_next(&m, &fault)) {
		struct member_digest *want = v->members_count ? bsearch(m.member.name, v->members, v->members_count,
									sizeof(*v->members), compare_member_name)
							      : NULL;
		struct digest have = { 0 };

		if (!want)
			continue;
		want->met = true;
		strbuf_clear(&place);
		strbuf_addf(&place, "%s#%s", path, want->name);
		if (!digest_member(&m, &have) || !digest_equal(&have, &want->digest))
			differs(v, place.s, "differs from the receipt");
	}
	members_close(&m);
	for (size_t i = 0; ok && fault.kind == FAULT_NONE && i < v->members_count; i++) {
		if (v->members[i].met)
			continue;
		strbuf_clear(&place);
		strbuf_addf(&place, "%s#%s", path, v->members[i].name);
		differs(v, place.s, "is missing");
	}
	strbuf_release(&place);
	return v->differences > before;
}

static void forget_members(struct verification *v)
{
	for (size_t i = 0; i < v->members_count; i++)
		free(v->members[i].name);
	v->members_count = 0;
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
	else if (!digest_equal(&have, want) && !(v->members_count && compare_members_of(v, path)))
		differs(v, path, "differs from the receipt");
	input_release(&in);
}

static bool is_hex(const char *s, size_t n)
{
	return strlen(s) == n && s[strspn(s, "0123456789abcdef")] == '\0';
}

/* Sets the digest's XXH3-128, which was read as text. Returns false if that or its SHA-256 is none. */
static bool set_hash(struct digest *digest, char hash[40])
{
	char low[17];

	if (!is_hex(hash, 32) || !is_hex(digest->sha256, 64))
		return false;
	memcpy(low, hash + 16, sizeof(low));
	hash[16] = '\0';
	digest->xxh3[0] = strtoull(hash, NULL, 16);
	digest->xxh3[1] = strtoull(low, NULL, 16);
	return true;
}

/* Reads a member of an archive in the manifest. */
static bool read_member(struct json_values *values, void *context)
{
	struct verification *v = context;
	struct member_digest member = { 0 };
	char hash[40] = "";
	const struct values_field output[] = {
		{ "bytes", .u64 = &member.digest.bytes },
		{ "xxh3_128", .buffer = hash, .size = sizeof(hash) },
		{ "sha256", .buffer = member.digest.sha256, .size = sizeof(member.digest.sha256) },
	};
	const struct values_field fields[] = {
		{ "member", .path = &member.name },
		{ "output", .fields = output, .fields_count = ARRAY_SIZE(output) },
	};
	bool ok = values_fields(values, fields, ARRAY_SIZE(fields));

	if (ok && (!member.name || !set_hash(&member.digest, hash)))
		ok = values_fail(values, "expected a member, and the hashes of its bytes");
	if (!ok) {
		free(member.name);
		return false;
	}
	GROW(v->members, v->members_cap, v->members_count + 1);
	v->members[v->members_count++] = member;
	return true;
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
		{ "members", .each = read_member, .context = v },
	};
	bool ok = values_fields(values, fields, ARRAY_SIZE(fields));

	if (ok && (!path || !set_hash(&want, hash)))
		ok = values_fail(values, "expected a path, and the hashes of its file");
	if (ok)
		compare_file(v, path, state, &want);
	forget_members(v);
	free(path);
	return ok;
}

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
	uint8_t *piece = xmalloc(PIECE);

	sha256_init(&sha);
	for (uint64_t at = 0; ok && at < size;) {
		size_t n = (size_t)MIN(size - at, (uint64_t)PIECE);

		ok = pread_all(fd, piece, n, at) == (int64_t)n;
		if (ok)
			sha256_add(&sha, piece, n);
		at += n;
	}
	free(piece);
	sha256_hex(&sha, hash);
	snprintf(want, sizeof(want), "%s%s%s", begin, hash, end);
	return ok && pread_all(fd, have, tail, size) == (int64_t)tail && !memcmp(have, want, tail);
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
	if (ok && GUARD(receipt_that_was_changed, !is_sealed(fd)))
		differs(v, RECEIPT_NAME, "was changed since it was written");
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
	enum status status = tree_gather(&tree, NULL, &folder, 1, NULL, err);

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
	free(v.members);
	tree_release(&tree);
	close(v.folder);
	return status;
}
