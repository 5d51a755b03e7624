#include "fix/archive_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"
#include "base/write_all.h"
#include "base/zlib_inflate.h"

enum {
	PIECE = 256 << 10,    /* bytes read at a time */
	KEPT_BYTES = 1 << 20, /* of an item's memory, for the next batch */
	DEFLATE_LEVEL = 6,    /* zip's own */
};

/* The memory of one thread that makes members. */
struct copy_worker {
	struct archive_copy *copy;
	struct fix_memory memory;
	struct libdeflate_decompressor *inflater;
	struct libdeflate_compressor *deflater;
	struct strbuf unpacked;
};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

bool copy_write(struct archive_copy *c, const void *bytes, size_t n, struct fault *fault)
{
	struct sink *out = c->job->out;

	c->written += n;
	if (!c->packer)
		strbuf_add(&out->text, bytes, n);
	else if (!packer_add(c->packer, bytes, n, &out->text, fault))
		return false;
	return sink_flush(out, fault);
}

bool copy_write_file(struct archive_copy *c, int fd, uint64_t at, uint64_t n, struct fault *fault)
{
	uint8_t *piece = xmalloc(PIECE);
	bool ok = true;

	while (ok && n) {
		size_t want = (size_t)MIN(n, (uint64_t)PIECE);
		int64_t got = pread_all(fd, piece, want, at);

		if (got < (int64_t)want)
			ok = fault_set(fault, FAULT_UNREADABLE, at, "cannot be read: %s",
				       got < 0 ? strerror(errno) : "it became shorter");
		ok = ok && copy_write(c, piece, want, fault);
		at += want;
		n -= want;
	}
	free(piece);
	return ok;
}

bool copy_write_zeros(struct archive_copy *c, uint64_t n, struct fault *fault)
{
	static const uint8_t zeros[4096];
	bool ok = true;

	for (; ok && n; n -= MIN(n, (uint64_t)sizeof(zeros)))
		ok = copy_write(c, zeros, (size_t)MIN(n, (uint64_t)sizeof(zeros)), fault);
	return ok;
}

/* ---- members in memory ------------------------------------------------------------------------------------------- */

/* Deflates the corrected bytes into the item's body, as a member of a zip, or stores them. */
static bool deflate_item(struct copy_worker *w, struct copy_item *item, struct fault *fault)
{
	const struct strbuf *text = &item->corrected.text;

	item->data.crc = libdeflate_crc32(0, text->s, text->len);
	item->data.size = item->data.packed = text->len;
	if (item->data.method == ZIP_STORED)
		return true;
	if (!w->deflater)
		w->deflater = libdeflate_alloc_compressor(DEFLATE_LEVEL);
	size_t room = w->deflater ? libdeflate_deflate_compress_bound(w->deflater, text->len) : 0;
	uint8_t *packed = room ? mem_try(room, 1) : NULL;

	if (!packed)
		return fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to deflate it");
	item->data.packed = libdeflate_deflate_compress(w->deflater, text->s, text->len, packed, room);
	strbuf_set(&item->body, packed, (size_t)item->data.packed);
	free(packed);
	return true;
}

/* Unpacks a zip's member. Returns its bytes, in the worker's memory; NULL if *fault is set. */
static const void *unpack_item(struct copy_worker *w, const struct copy_item *item, struct fault *fault)
{
	size_t n = (size_t)item->data.size;
	uint8_t *bytes = mem_try(n + 1, 1);

	if (!bytes) {
		fault_no_memory(fault, FAULT_NO_OFFSET, "not enough memory to unpack it");
		return NULL;
	}
	bool ok = zip_unpack(&item->data, (const uint8_t *)item->body.s, bytes, &w->inflater, fault);

	if (ok)
		strbuf_set(&w->unpacked, bytes, n);
	free(bytes);
	return ok ? w->unpacked.s : NULL;
}

static void make_item(struct copy_worker *w, struct copy_item *item)
{
	bool is_zip = w->copy->members.is_zip;
	const void *bytes = is_zip ? unpack_item(w, item, &item->fault) : item->body.s;
	size_t n = is_zip ? w->unpacked.len : item->body.len;
	struct input in;

	if (!bytes)
		return;
	input_init(&in);
	input_from_memory(&in, bytes, n);
	digest_bytes(bytes, n, &item->record->input);
	sink_begin(&item->corrected, -1);
	if (fix_correct(&w->memory, w->copy->job->plan, item->file, &in, &item->corrected, &item->record->output,
			&item->record->labels, &item->fault) &&
	    is_zip)
		deflate_item(w, item, &item->fault);
	input_release(&in);
}

static void *worker_main(void *worker)
{
	struct copy_worker *w = worker;
	struct archive_copy *c = w->copy;
	size_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->count)
		if (c->items[i].file)
			make_item(w, &c->items[i]);
	return NULL;
}

/* Makes the members of the batch that change, on several threads. */
static void make_batch(struct archive_copy *c)
{
	pthread_t *threads = xcalloc(c->job->jobs, sizeof(*threads));
	unsigned started = 0, changing = 0;

	for (size_t i = 0; i < c->count; i++)
		changing += c->items[i].file != NULL;
	atomic_store(&c->next, 0);
	while (started + 1 < MIN(c->job->jobs, changing) &&
	       thread_start(&threads[started], worker_main, &c->workers[started + 1]))
		started++;
	worker_main(&c->workers[0]);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void clear_kept(struct strbuf *s)
{
	if (s->cap > KEPT_BYTES)
		strbuf_release(s);
	strbuf_clear(s);
}

/* Says which member a fault is of. Returns false. */
static bool fail_member(struct fault *fault, const char *name, const struct fault *why)
{
	return fault_set(fault, why->kind, why->offset, "#%.200s: %s", name, why->text);
}

bool copy_flush(struct archive_copy *c, struct fault *fault)
{
	bool ok = true;

	make_batch(c);
	for (size_t i = 0; i < c->count; i++) {
		struct copy_item *item = &c->items[i];

		if (ok && item->fault.kind != FAULT_NONE)
			ok = fail_member(fault, fix_file_member(item->file), &item->fault);
		ok = ok && (c->members.is_zip ? zip_write_item : tar_write_item)(c, item, fault);
		clear_kept(&item->body);
		clear_kept(&item->corrected.text);
	}
	c->count = 0;
	c->bytes = 0;
	if (ok && stop_signal())
		ok = fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "interrupted");
	return ok;
}

/* Returns the current member as the set has it, if it changes. */
static const struct fix_file *changing_member(const struct archive_copy *c)
{
	const struct fix_plan *plan = c->job->plan;
	const struct fix_file *file = c->members.member.type == MEMBER_FILE && !c->members.member.name_cut
					      ? fix_archive_find(plan->set, c->job->archive, c->members.member.name)
					      : NULL;

	return file && plan->files[file - plan->set->files].changes ? file : NULL;
}

struct copy_item *copy_next_item(struct archive_copy *c, struct fault *fault)
{
	struct copy_item *item = &c->items[c->count];
	const struct member *m = &c->members.member;

	strbuf_clear(&item->body);
	strbuf_clear(&item->tail);
	strbuf_clear(&item->directory);
	fault_clear(&item->fault);
	item->record = NULL;
	item->file = changing_member(c);
	if (!item->file)
		return item;
	if (m->fault.kind != FAULT_NONE || (!item->file->packed && m->size != item->file->bytes) ||
	    c->records_count == c->records_room) {
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "#%.200s: changed since the plan was made",
			  m->name);
		return NULL;
	}
	item->record = &c->records[c->records_count++];
	item->record->file = item->file;
	return item;
}

bool copy_add_item(struct archive_copy *c, struct copy_item *item, struct fault *fault)
{
	c->bytes += item->head.len + item->body.len;
	if (item->file)
		c->bytes += c->members.member.size;
	c->count++;
	return (c->count < COPY_ITEMS && c->bytes < COPY_BYTES) || copy_flush(c, fault);
}

/* ---- members that are too large for memory ----------------------------------------------------------------------- */

static int open_spool(const struct archive_copy *c, struct fault *fault)
{
	int fd = open_unnamed(c->job->folder);

	if (fd < 0)
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be written: %s", strerror(errno));
	return fd;
}

/* Writes the current member to fd, unpacked. */
static bool unpack_large(struct archive_copy *c, int fd, struct digest *digest, struct fault *fault)
{
	uint8_t *piece = xmalloc(PIECE);
	struct digester d;
	int64_t n = 0;
	bool ok = true;

	digester_begin(&d);
	while (ok && (n = members_read(&c->members, piece, PIECE, fault)) > 0) {
		digester_add(&d, piece, (size_t)n);
		if (!write_all(fd, piece, (size_t)n))
			ok = fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be written: %s",
				       strerror(errno));
	}
	digester_finish(&d, digest);
	free(piece);
	return ok && n == 0;
}

/* Corrects the file in `from`, which it closes, into `to`. */
static bool correct_large(struct archive_copy *c, struct copy_item *item, int from, int to, struct fault *fault)
{
	struct file_peek peek = { .fd = from };
	struct input in;
	int64_t n = pread_all(from, peek.head, sizeof(peek.head), 0);
	bool ok = n >= 0 && fstat(from, &peek.st) == 0 && lseek(from, (off_t)n, SEEK_SET) == (off_t)n;

	if (!ok) {
		close(from);
		return fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be read: %s", strerror(errno));
	}
	peek.n = (size_t)n;
	input_init(&in);
	sink_begin(&item->corrected, to);
	ok = input_open_peeked(&in, &peek, fault) &&
	     fix_correct(&c->workers[0].memory, c->job->plan, item->file, &in, &item->corrected, &item->record->output,
			 &item->record->labels, fault);
	input_release(&in);
	return ok;
}

/* Deflates the file in `from` into `to`, and fills the CRC-32 and the sizes for a zip's headers. */
static bool deflate_large(struct zip_data *data, int from, int to, struct fault *fault)
{
	uint8_t *in = xmalloc(2 * PIECE), *out = in + PIECE;
	z_stream z = { .zalloc = zlib_alloc, .zfree = zlib_free };
	int64_t n = 0;
	bool ok = true, ended = false;

	deflateInit2(&z, DEFLATE_LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
	data->crc = 0;
	data->size = data->packed = 0;
	while (ok && !ended) {
		if (!z.avail_in) {
			n = pread_all(from, in, PIECE, data->size);
			data->crc = libdeflate_crc32(data->crc, in, (size_t)MAX(n, INT64_C(0)));
			data->size += (uint64_t)MAX(n, INT64_C(0));
			z.next_in = in;
			z.avail_in = (uInt)MAX(n, INT64_C(0));
		}
		z.next_out = out;
		z.avail_out = PIECE;
		ended = deflate(&z, n < PIECE ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_END;
		data->packed += PIECE - z.avail_out;
		ok = n >= 0 && write_all(to, out, PIECE - z.avail_out);
	}
	if (!ok)
		fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be deflated: %s", strerror(errno));
	deflateEnd(&z);
	free(in);
	return ok;
}

/* Fills the CRC-32 and the sizes of a file that will be stored. */
static bool measure_stored(struct zip_data *data, int fd, struct fault *fault)
{
	uint8_t *piece = xmalloc(PIECE);
	int64_t n;

	data->crc = 0;
	data->size = 0;
	while ((n = pread_all(fd, piece, PIECE, data->size)) > 0) {
		data->crc = libdeflate_crc32(data->crc, piece, (size_t)n);
		data->size += (uint64_t)n;
	}
	data->packed = data->size;
	free(piece);
	return !n || fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "cannot be read: %s", strerror(errno));
}

bool copy_make_large(struct archive_copy *c, struct copy_item *item, int *fd, struct fault *fault)
{
	bool deflated = c->members.is_zip && item->data.method != ZIP_STORED;
	int from = open_spool(c, fault), to = open_spool(c, fault), packed = deflated ? open_spool(c, fault) : -1;
	struct fault why = FAULT_INIT;

	*fd = deflated ? packed : to;
	bool ok = from >= 0 && to >= 0 && *fd >= 0 && unpack_large(c, from, &item->record->input, &why);

	if (ok)
		ok = correct_large(c, item, from, to, &why);
	else if (from >= 0)
		close(from);
	item->data.size = item->record->output.bytes;
	if (ok && c->members.is_zip)
		ok = deflated ? deflate_large(&item->data, to, packed, &why) : measure_stored(&item->data, to, &why);
	if ((deflated || !ok) && to >= 0)
		close(to);
	if (!ok && packed >= 0)
		close(packed);
	return ok || fail_member(fault, fix_file_member(item->file), &why);
}

/* ---- the archive ------------------------------------------------------------------------------------------------- */

static void init(struct archive_copy *c)
{
	c->items = xcalloc(COPY_ITEMS, sizeof(*c->items));
	c->workers = xcalloc(c->job->jobs, sizeof(*c->workers));
	strbuf_init(&c->directory);
	for (size_t i = 0; i < COPY_ITEMS; i++) {
		struct copy_item *item = &c->items[i];

		strbuf_init(&item->head);
		strbuf_init(&item->body);
		strbuf_init(&item->tail);
		strbuf_init(&item->directory);
		sink_init(&item->corrected);
	}
	for (unsigned i = 0; i < c->job->jobs; i++) {
		c->workers[i].copy = c;
		strbuf_init(&c->workers[i].unpacked);
	}
}

static void release(struct archive_copy *c)
{
	for (unsigned i = 0; i < c->job->jobs; i++) {
		fix_memory_release(&c->workers[i].memory);
		libdeflate_free_decompressor(c->workers[i].inflater);
		libdeflate_free_compressor(c->workers[i].deflater);
		strbuf_release(&c->workers[i].unpacked);
	}
	for (size_t i = 0; i < COPY_ITEMS; i++) {
		struct copy_item *item = &c->items[i];

		strbuf_release(&item->head);
		strbuf_release(&item->body);
		strbuf_release(&item->tail);
		strbuf_release(&item->directory);
		sink_release(&item->corrected);
	}
	strbuf_release(&c->directory);
	packer_free(c->packer);
	free(c->items);
	free(c->workers);
	members_close(&c->members);
}

bool archive_copy(const struct archive_job *job, const char *path, struct member_record *records, struct fault *fault)
{
	struct archive_copy c = { .job = job,
				  .records = records,
				  .records_room = fix_plan_changing(job->plan, job->archive) };
	bool ok = members_open(&c.members, AT_FDCWD, path, &job->plan->set->settings->limits, fault);

	init(&c);
	if (ok && c.members.packing != PACKING_NONE) {
		c.packer = packer_new(c.members.packing, fault);
		ok = c.packer;
	}
	ok = ok && (c.members.is_zip ? zip_copy : tar_copy)(&c, fault);
	if (ok && c.records_count != c.records_room)
		ok = fault_set(fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "changed since the plan was made");
	if (ok && c.packer)
		ok = packer_end(c.packer, &job->out->text, fault);
	release(&c);
	return ok;
}
