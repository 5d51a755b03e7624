/*
 * For tests: archives made by libarchive's writer, in memory. Failures are Check's.
 */
#ifndef TESTS_ARCHIVE_MAKER_H
#define TESTS_ARCHIVE_MAKER_H

#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	struct archive *writer;
	uint8_t *bytes; /* owned */
	size_t size;
};

enum { MAKER_ROOM = 64 << 20 };

/* format, filter: names of libarchive ("ustar", "gzip"); options: "zip:compression=store" or NULL. */
static inline void maker_begin(struct maker *m, const char *format, const char *filter, const char *options)
{
	m->writer = archive_write_new();
	m->bytes = malloc(MAKER_ROOM);
	m->size = 0;
	ck_assert_int_eq(archive_write_set_format_by_name(m->writer, format), ARCHIVE_OK);
	if (strcmp(filter, "none"))
		ck_assert_int_eq(archive_write_add_filter_by_name(m->writer, filter), ARCHIVE_OK);
	if (options)
		ck_assert_int_eq(archive_write_set_options(m->writer, options), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_open_memory(m->writer, m->bytes, MAKER_ROOM, &m->size), ARCHIVE_OK);
}

/* type: AE_IFREG, AE_IFDIR, AE_IFLNK ... ; target: of a symbolic link. */
static inline void maker_add_type(struct maker *m, const char *name, unsigned type, const char *target,
				  const void *bytes, size_t n)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (int64_t)n);
	if (target)
		archive_entry_set_symlink(entry, target);
	ck_assert_msg(archive_write_header(m->writer, entry) == ARCHIVE_OK, "%s", archive_error_string(m->writer));
	if (n)
		ck_assert_int_eq(archive_write_data(m->writer, bytes, n), (la_ssize_t)n);
	archive_entry_free(entry);
}

static inline void maker_add(struct maker *m, const char *name, const void *bytes, size_t n)
{
	maker_add_type(m, name, AE_IFREG, NULL, bytes, n);
}

/* The archive is whole then. */
static inline void maker_end(struct maker *m)
{
	ck_assert_msg(archive_write_close(m->writer) == ARCHIVE_OK, "%s", archive_error_string(m->writer));
	archive_write_free(m->writer);
	m->writer = NULL;
}

static inline void maker_release(struct maker *m)
{
	free(m->bytes);
	m->bytes = NULL;
}

#endif
