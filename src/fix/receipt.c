#include "fix/receipt.h"

#include "base/sha256.h"
#include "fix/plan_report.h"
#include "report/report_json.h"

static void write_digest(struct json_writer *w, const char *key, const struct digest *d)
{
	json_key_object(w, key, JSON_INLINE);
	json_key_u64(w, "bytes", d->bytes);
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

static void write_record(struct json_writer *w, const struct record *record)
{
	static const char *const states[] = {
		[RECORD_COPIED] = "copied", [RECORD_CHANGED] = "changed", [RECORD_LINK] = "link"
	};

	json_begin_object(w, JSON_INLINE);
	report_json_name(w, "path", record->place);
	json_key_text(w, "state", states[record->state]);
	json_key_u64(w, "labels", record->labels);
	write_digest(w, "input", &record->input);
	write_digest(w, "output", &record->output);
	json_end(w);
}

enum status receipt_write(const struct receipt *r, struct output_file *file, struct error *err)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	enum status status = STATUS_OK;
	struct json_writer w;
	struct sha256 seal;
	char sealed[65];

	sha256_init(&seal);
	json_init(&w, &text, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "receipt_version", RECEIPT_VERSION);
	plan_json_body(&w, r->plan, r->options);
	json_key_object(&w, "result", JSON_INLINE);
	json_key_i64(&w, "exit_status", r->exit_status);
	json_end(&w);
	json_key_array(&w, "manifest", JSON_BLOCK);
	for (size_t i = 0; i < r->manifest->count && status == STATUS_OK; i++) {
		write_record(&w, &r->manifest->v[i]);
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
	return status;
}
