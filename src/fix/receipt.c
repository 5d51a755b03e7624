#include "fix/receipt.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "fix/plan_report.h"
#include "report/json_values.h"
#include "report/report_json.h"

static void write_digest(struct json_writer *w, const char *key, const struct digest *d)
{
	json_key_object(w, key, JSON_INLINE);
	json_key_u64(w, "bytes", d->bytes);
	plan_json_hash(w, "xxh3_128", d->xxh3);
	json_key_text(w, "sha256", d->sha256);
	json_end(w);
}

enum { FLUSH_BYTES = 1 << 16 };

/* Writes what there is of the text, if it is much. seal: of all that was written. */
static enum status flush(struct json_writer *w, size_t least, struct sha256 *seal, struct output_file *file,
			 struct error *err)
{
	if (w->out->len < least)
		return STATUS_OK;
	sha256_add(seal, w->out->s, w->out->len);
	enum status status = output_file_write(file, w->out->s, w->out->len, err);

	strbuf_clear(w->out);
	return status;
}

static void write_member(struct json_writer *w, const struct member_record *record)
{
	json_begin_object(w, JSON_INLINE);
	report_json_name(w, "member", fix_file_member(record->file));
	json_key_u64(w, "labels", record->labels);
	write_digest(w, "input", &record->input);
	write_digest(w, "output", &record->output);
	json_end(w);
}

static void write_record(struct json_writer *w, const struct tree_entry *e, const struct fix_record *record)
{
	json_begin_object(w, JSON_INLINE);
	report_json_name(w, "path", e->place);
	json_key_text(w, "state", e->kind == TREE_LINK ? "link" : e->changes ? "changed" : "copied");
	json_key_u64(w, "labels", record->labels);
	write_digest(w, "input", &record->input);
	write_digest(w, "output", &record->output);
	if (record->members_count) {
		json_key_array(w, "members", JSON_BLOCK);
		for (size_t i = 0; i < record->members_count; i++)
			write_member(w, &record->members[i]);
		json_end(w);
	}
	json_end(w);
}

enum status receipt_write(const struct receipt *r, struct output_file *file, struct error *err)
{
	struct strbuf text = STRBUF_INIT;
	enum status status = STATUS_OK;
	struct json_writer w;
	struct sha256 seal;
	char sealed[65];

	sha256_init(&seal);
	json_init(&w, &text, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "receipt_version", RECEIPT_VERSION);
	plan_json_hash(&w, "plan_digest", r->plan_digest);
	plan_json_body(&w, r->plan, r->options);
	json_key_object(&w, "result", JSON_INLINE);
	json_key_i64(&w, "exit_status", r->exit_status);
	json_end(&w);
	json_key_array(&w, "manifest", JSON_BLOCK);
	for (size_t i = 0; i < r->tree->count && status == STATUS_OK; i++) {
		const struct tree_entry *e = &r->tree->v[i];
		const struct fix_record *record = e->kind != TREE_FOLDER ? records_get(r->records, i, err) : NULL;

		if (e->kind != TREE_FOLDER && !record)
			status = STATUS_FAILED;
		else if (record)
			write_record(&w, e, record);
		if (status == STATUS_OK)
			status = flush(&w, FLUSH_BYTES, &seal, file, err);
	}
	json_end(&w);
	if (status == STATUS_OK)
		status = flush(&w, 0, &seal, file, err);
	sha256_hex(&seal, sealed);
	json_key_text(&w, RECEIPT_SEAL, sealed);
	json_end(&w);
	strbuf_addch(&text, '\n');
	if (status == STATUS_OK)
		status = output_file_write(file, text.s, text.len, err);
	strbuf_release(&text);
	return status;
}

void receipt_json_unfinished(const uint64_t plan_digest[2], struct strbuf *out)
{
	struct json_writer w;

	json_init(&w, out, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "receipt_version", RECEIPT_VERSION);
	plan_json_hash(&w, "plan_digest", plan_digest);
	json_key_bool(&w, "unfinished", true);
	json_end(&w);
	strbuf_addch(out, '\n');
}

enum receipt_state receipt_state(int folder, const uint64_t plan_digest[2])
{
	int fd = openat(folder, RECEIPT_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct error err = ERROR_INIT;
	struct json_values v;
	char have[40] = "", want[40];
	bool unfinished = false;
	const struct values_field fields[] = { { "plan_digest", .buffer = have, .size = sizeof(have) },
					       { "unfinished", .truth = &unfinished } };

	if (fd < 0)
		return RECEIPT_NONE;
	snprintf(want, sizeof(want), "%016llx%016llx", (unsigned long long)plan_digest[0],
		 (unsigned long long)plan_digest[1]);
	values_open(&v, fd, RECEIPT_NAME, &err);
	bool ok = values_next(&v) && values_fields(&v, fields, ARRAY_SIZE(fields)) && !strcmp(have, want);

	values_close(&v);
	close(fd);
	return !ok ? RECEIPT_NONE : unfinished ? RECEIPT_UNFINISHED : RECEIPT_FINISHED;
}
