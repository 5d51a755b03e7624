#include "audit/read_ahead.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file_name.h"
#include "base/late.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"

enum {
	WARM_FILES = 64,    /* more files from memory than from storage end the reading ahead */
	STARTS_COUNTED = 6, /* each start needs twice as many late files as the one before, up to 2^6 times */
};

void read_ahead_init(struct read_ahead *r, struct source *source, const struct fetch_options *options,
		     struct cache *cache, const atomic_bool *stop, struct io *io, bool always)
{
	memset(r, 0, sizeof(*r));
	r->source = source;
	r->options = *options;
	r->audit_stop = stop;
	r->last = &r->first;
	r->always = always;
	r->io = io;
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->cache_lock, NULL);
	pthread_cond_init(&r->arrived, NULL);
	pthread_cond_init(&r->freed, NULL);
	pthread_cond_init(&r->place, NULL);
	pthread_cond_init(&r->drawer_ended, NULL);
	if (io)
		cache_reader_open(&r->cache, cache);
}

/* Waits for a change, or a tenth of a second. Returns false if the audit is to end. */
static bool wait_for(struct read_ahead *r, pthread_cond_t *change)
{
	struct timespec until = clock_deadline(WAIT_MS);

	if (r->stopped || stop_signal() || is_stopped(r->audit_stop))
		return false;
	pthread_cond_timedwait(change, &r->lock, &until);
	return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool is_done(const struct fetched *f)
{
	return atomic_load_explicit(&f->done, memory_order_acquire);
}

/* Notes whether a file came from memory. Under the lock. */
static void note_late(struct read_ahead *r, bool late)
{
	if (late)
		r->warm -= MIN(r->warm, 2U);
	else
		r->warm++;
}

/* Reserves memory for a file, and a descriptor if it is too long for memory. Returns false if there will be none. */
static bool reserve(struct read_ahead *r, struct fetched *f, uint64_t size)
{
	bool streamed = size > INPUT_WHOLE_MAX, there = true;

	f->bytes = streamed ? 0 : size + INPUT_PADDING;
	pthread_mutex_lock(&r->lock);
	if (streamed) {
		there = r->streams < io_descriptors_max() / 4;
		f->streamed = there;
		r->streams += there;
	}
	while (there && r->bytes && r->bytes + f->bytes > AHEAD_BYTES && !f->wanted)
		there = wait_for(r, &r->freed);
	if (there)
		r->bytes += f->bytes;
	else
		f->bytes = 0;
	pthread_mutex_unlock(&r->lock);
	return there;
}

/* Returns whether the cache has a record of a file. *st: its state, to be compared with the record. */
static bool has_record(struct read_ahead *r, const struct entry *entry, struct stat *st)
{
	if (!fetch_state(&r->cache, entry, st))
		return false;
	pthread_mutex_lock(&r->cache_lock);
	bool has = cache_has(&r->cache, st);

	pthread_mutex_unlock(&r->cache_lock);
	return has;
}

/* Opens and reads the file of f, once there is memory for it. f->left if there will be none. */
static void read_ahead_of_worker(struct fetched *f, struct entry_probe *probe)
{
	const struct entry *entry = f->entry;
	struct file_peek *file = &probe->file;

	if (!fetch_open_file(entry, file, &f->fault))
		return;
	f->left = !reserve(f->ahead, f, (uint64_t)file->st.st_size);
	f->opened = !f->left && input_open_peeked(&f->input, file, &f->fault);
}

/* Label files of many images name them themselves, and need no partner. */
static bool may_have_partner(const struct fetch_options *o, const struct entry *entry)
{
	return o->settings->pairing && !file_name_ends_in(entry->name, ".json") &&
	       !file_name_ends_in(entry->name, ".csv");
}

/* Fills f as the worker would do it. */
static void fetch(struct fetched *f, const struct fetch_options *o, struct folder_role *folder)
{
	const struct entry *entry = f->entry;
	const struct dataset_layout *layout = layout_of(o->layouts, entry);
	struct entry_probe probe;
	struct sample unused;

	probe_init(&probe);
	f->class = fetch_class(o, entry, folder, &probe, &f->fault);
	if (f->class.class == ENTRY_SKIP)
		f->lacks_label = fetch_lacks_label(o, entry);
	if (f->class.class == ENTRY_LABELS && !classify_by_folder(entry, layout, &unused)) {
		f->cached = has_record(f->ahead, entry, &f->st);
		if (!f->cached)
			read_ahead_of_worker(f, &probe);
		if (f->opened && (layout->kinds & KIND_BIT(KIND_YOLO)) && file_name_ends_in(entry->name, ".txt"))
			f->yolo_image = yolo_find_image(entry->path);
		if (may_have_partner(o, entry) && !f->left) {
			pair_seek_image(&f->partner, entry_rel_path(entry));
			f->has_partner = true;
		}
	}
	probe_close(&probe);
}

static void fetch_job(struct io_job *job)
{
	/* as a worker's: the files of a folder follow each other */
	static _Thread_local struct folder_role folder;
	static _Thread_local bool begun;
	struct fetched *f = (struct fetched *)job;
	struct read_ahead *r = f->ahead;
	uint64_t since = clock_ns();

	if (!begun)
		folder_role_init(&folder);
	begun = true;
	late_begin();
	fetch(f, &r->options, &folder);
	bool late = late_end(clock_ns() - since, LATE_NS);

	pthread_mutex_lock(&r->lock);
	note_late(r, late);
	r->fetched++;
	atomic_store_explicit(&f->done, true, memory_order_release);
	if (f->wanted)
		pthread_cond_broadcast(&r->arrived);
	pthread_mutex_unlock(&r->lock);
}

/* Returns whether another unit may be drawn. */
static bool has_place(const struct read_ahead *r)
{
	return (!r->files || r->files + r->unit_files <= AHEAD_FILES) && r->packed < AHEAD_PACKED;
}

bool read_ahead_wait(struct read_ahead *r, struct fetched *f)
{
	bool go_on = true;

	pthread_mutex_lock(&r->lock);
	if (!is_done(f)) {
		f->wanted = true;
		pthread_cond_broadcast(&r->freed);
		while (!is_done(f) && go_on)
			go_on = wait_for(r, &r->arrived);
	}
	r->files--;
	if (has_place(r))
		pthread_cond_signal(&r->place);
	pthread_mutex_unlock(&r->lock);
	return go_on;
}

/* Gives the memory of a file back, which one that could not be read has, too. Under the lock. */
static void release_bytes(struct read_ahead *r, struct fetched *f)
{
	if (!f->bytes && !f->streamed)
		return;
	r->bytes -= f->bytes;
	r->streams -= f->streamed;
	f->bytes = 0;
	f->streamed = false;
	pthread_cond_broadcast(&r->freed);
}

void read_ahead_take(struct read_ahead *r, struct fetched *f, struct input *input)
{
	struct input before = *input;

	pthread_mutex_lock(&r->lock);
	release_bytes(r, f);
	pthread_mutex_unlock(&r->lock);
	*input = f->input;
	f->input = before;
	input_release(&f->input);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* Returns whether it takes a call of the file system to fetch the entry. */
static bool needs_storage(const struct entry *e)
{
	return !e->failed && !e->standard_input && !e->member && !e->archive;
}

static struct ahead_unit *take_spare(struct read_ahead *r)
{
	struct ahead_unit *u;

	pthread_mutex_lock(&r->lock);
	u = r->spare;
	if (u)
		r->spare = u->next;
	pthread_mutex_unlock(&r->lock);
	if (u)
		return u;
	u = xcalloc(1, sizeof(*u));
	work_unit_init(&u->unit);
	pthread_mutex_lock(&r->lock);
	u->next_made = r->made;
	r->made = u;
	pthread_mutex_unlock(&r->lock);
	return u;
}

static void keep_spare(struct read_ahead *r, struct ahead_unit *u)
{
	pthread_mutex_lock(&r->lock);
	u->next = r->spare;
	r->spare = u;
	pthread_mutex_unlock(&r->lock);
}

/* Prepares the files of a unit to be fetched, but for the first ones. */
static void prepare_files(struct read_ahead *r, struct ahead_unit *u, const struct work_unit *unit, size_t first)
{
	size_t had = u->cap;

	GROW(u->files, u->cap, unit->count);
	for (size_t i = had; i < u->cap; i++) {
		memset(&u->files[i], 0, sizeof(u->files[i]));
		input_init(&u->files[i].input);
		pair_seeker_init(&u->files[i].partner, r->options.pairs);
	}
	u->packed = unit->entries[0].member; /* a unit holds files or members, not both */
	for (size_t i = 0; i < unit->count; i++) {
		struct fetched *f = &u->files[i];

		f->job.run = fetch_job;
		f->ahead = r;
		f->entry = &unit->entries[i];
		f->wanted = f->opened = f->cached = f->lacks_label = f->has_partner = false;
		f->left = i < first || !needs_storage(f->entry);
		fault_clear(&f->fault);
		f->yolo_image = PARTNER_UNASKED;
		f->partner.flat = false;
		atomic_store_explicit(&f->done, f->left, memory_order_relaxed);
	}
}

/* Has the files of a unit fetched. A worker may have the unit already. */
static void submit_files(struct read_ahead *r, struct ahead_unit *u, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct fetched *f = &u->files[i];

		if (is_done(f) || io_submit(r->io, &f->job, false))
			continue;
		f->left = true;
		atomic_store_explicit(&f->done, true, memory_order_release);
	}
}

/* Appends a drawn unit to those that workers take, and its files to those that are fetched. */
static void add_unit(struct read_ahead *r, struct ahead_unit *u)
{
	size_t count = u->unit.count;

	prepare_files(r, u, &u->unit, 0);
	pthread_mutex_lock(&r->lock);
	u->next = NULL;
	*r->last = u;
	r->last = &u->next;
	r->files += count;
	r->packed += u->packed;
	pthread_cond_broadcast(&r->arrived);
	pthread_mutex_unlock(&r->lock);
	submit_files(r, u, count);
}

static bool is_warm(const struct read_ahead *r)
{
	return !r->always && r->warm >= WARM_FILES;
}

/* Draws units until there are no more, files come from memory, or the audit is to end. */
static void *draw_main(void *arg)
{
	struct read_ahead *r = arg;
	bool more = true;

	while (more) {
		struct ahead_unit *u = take_spare(r);
		struct error ignored = ERROR_INIT; /* the next draw fails, too */

		pthread_mutex_lock(&r->lock);
		while (more && !has_place(r))
			more = wait_for(r, &r->place);
		more = more && !is_warm(r);
		pthread_mutex_unlock(&r->lock);
		more = more && source_draw(r->source, &u->unit, r->unit_files, &ignored) == STATUS_OK && u->unit.count;
		if (more)
			add_unit(r, u);
		else
			keep_spare(r, u);
	}
	pthread_mutex_lock(&r->lock);
	atomic_store(&r->drawing, false);
	pthread_cond_broadcast(&r->arrived);
	pthread_cond_broadcast(&r->drawer_ended);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Starts to draw ahead, unless that is so. Under the lock. */
static void start(struct read_ahead *r, size_t unit_files)
{
	if (r->drawing || r->stopped || r->ended)
		return;
	if (r->joinable)
		pthread_join(r->drawer, NULL); /* it has nothing more to do */
	r->unit_files = unit_files;
	r->warm = 0;
	r->starts++;
	r->drawing = r->joinable = thread_start(&r->drawer, draw_main, r);
	r->ended = !r->drawing;
}

void read_ahead_note_time(struct late_files *late, uint64_t ns)
{
	if (late_end(ns, LATE_NS))
		late->count++;
	else if (late->count)
		late->count--;
	late->ns = ns;
}

bool read_ahead_is_due(struct read_ahead *r, const struct late_files *late)
{
	return r->io && (r->always || atomic_load_explicit(&r->drawing, memory_order_relaxed) ||
			 late->count >= (unsigned)LATE_FILES << MIN(r->starts, (unsigned)STARTS_COUNTED));
}

void read_ahead_start(struct read_ahead *r, struct late_files *late, struct ahead_unit **now, struct work_unit *unit,
		      size_t first, size_t unit_files)
{
	io_expect(r->io, late->ns);
	late->count = 0;
	pthread_mutex_lock(&r->lock);
	start(r, unit_files);
	bool drawing = r->drawing;

	pthread_mutex_unlock(&r->lock);
	if (!drawing || first == unit->count)
		return;
	struct ahead_unit *u = take_spare(r);

	prepare_files(r, u, unit, first);
	*now = u;
	pthread_mutex_lock(&r->lock);
	r->files += unit->count - first;
	r->packed += u->packed;
	pthread_mutex_unlock(&r->lock);
	submit_files(r, u, unit->count);
}

/* Forgets what was fetched of a unit. */
static void clear_unit(struct read_ahead *r, struct ahead_unit *u)
{
	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < u->unit.count; i++) {
		release_bytes(r, &u->files[i]);
		input_release(&u->files[i].input);
	}
	r->packed -= u->packed;
	pthread_cond_signal(&r->place);
	pthread_mutex_unlock(&r->lock);
	work_unit_clear(&u->unit);
}

void read_ahead_give_back(struct read_ahead *r, struct ahead_unit **now, struct work_unit *unit)
{
	struct ahead_unit *u = *now;
	bool all_done = true;

	*now = NULL;
	if (!u) {
		work_unit_clear(unit);
		return;
	}
	const struct work_unit own = u->unit;

	u->unit = *unit;
	*unit = own;
	for (size_t i = 0; all_done && i < u->unit.count; i++)
		all_done = is_done(&u->files[i]);
	if (!all_done) /* the audit was stopped; a thread still reads its paths */
		return;
	clear_unit(r, u);
	keep_spare(r, u);
}

enum status read_ahead_draw(struct read_ahead *r, struct ahead_unit **now, struct work_unit *unit, size_t max,
			    struct error *err)
{
	struct ahead_unit *u;
	bool go_on = true;

	pthread_mutex_lock(&r->lock);
	while (!r->first && r->drawing && go_on)
		go_on = wait_for(r, &r->arrived);
	u = go_on ? r->first : NULL;
	if (u) {
		r->first = u->next;
		if (!r->first)
			r->last = &r->first;
	}
	pthread_mutex_unlock(&r->lock);
	if (!u) /* an audit that was stopped gets nothing from the source either */
		return go_on ? source_draw(r->source, unit, max, err) : STATUS_OK;
	const struct work_unit own = *unit;

	*unit = u->unit;
	u->unit = own;
	*now = u;
	return STATUS_OK;
}

void read_ahead_stop(struct read_ahead *r)
{
	pthread_mutex_lock(&r->lock);
	r->stopped = true;
	pthread_cond_broadcast(&r->arrived);
	pthread_cond_broadcast(&r->freed);
	pthread_cond_broadcast(&r->place);
	pthread_mutex_unlock(&r->lock);
}

/* Waits for the drawer. Returns false if storage keeps it after an interruption. */
static bool end_drawer(struct read_ahead *r)
{
	struct last_wait wait = { 0 };

	pthread_mutex_lock(&r->lock);
	while (r->drawing && !last_wait_is_over(&wait)) {
		struct timespec until = clock_deadline(LAST_WAIT_MS);

		pthread_cond_timedwait(&r->drawer_ended, &r->lock, &until);
	}
	bool ended = !r->drawing;

	pthread_mutex_unlock(&r->lock);
	if (ended && r->joinable)
		pthread_join(r->drawer, NULL);
	return ended;
}

static void release_units(struct ahead_unit *u)
{
	while (u) {
		struct ahead_unit *next = u->next_made;

		for (size_t i = 0; i < u->cap; i++) {
			input_release(&u->files[i].input);
			pair_seeker_release(&u->files[i].partner);
		}
		work_unit_release(&u->unit);
		free(u->files);
		free(u);
		u = next;
	}
}

/* Returns whether all units were given back: then so was all memory. */
static bool all_given_back(const struct read_ahead *r)
{
	size_t made = 0, spare = 0;

	for (const struct ahead_unit *u = r->made; u; u = u->next_made)
		made++;
	for (const struct ahead_unit *u = r->spare; u; u = u->next)
		spare++;
	return made == spare;
}

bool read_ahead_close(struct read_ahead *r, bool release, struct run_facts *run)
{
	read_ahead_stop(r);
	bool ended = end_drawer(r);

	ended = (!r->io || io_stop(r->io)) && ended;
	run->under_way = r->io ? io_reached(r->io) : 0;
	pthread_mutex_lock(&r->lock);
	run->read_ahead = r->fetched;
	pthread_mutex_unlock(&r->lock);
	if (!ended) {
		last_wait_give_up();
		return false;
	}
	if (!release)
		return true;
	assert(!all_given_back(r) || (!r->bytes && !r->streams));
	release_units(r->made);
	cache_reader_close(&r->cache);
	pthread_cond_destroy(&r->drawer_ended);
	pthread_cond_destroy(&r->place);
	pthread_cond_destroy(&r->freed);
	pthread_cond_destroy(&r->arrived);
	pthread_mutex_destroy(&r->cache_lock);
	pthread_mutex_destroy(&r->lock);
	return true;
}
