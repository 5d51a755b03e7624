/*
 * Where the central directory of a zip archive lies: read from the records at the end of the file, which may contradict
 * it and each other. For the files of the zip reader alone.
 */
#ifndef FIND_ZIP_END_H
#define FIND_ZIP_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/zip.h"

/* The first four bytes of a member in front of its data, and of its entry in the directory (APPNOTE, section 4.3). */
#define ZIP_SIGNATURE_LOCAL   0x04034b50u
#define ZIP_SIGNATURE_CENTRAL 0x02014b50u

/* Stands for a number that has no room in its field; the record or field of zip64 has it (APPNOTE, section 4.4.1.4). */
#define ZIP_FULL_16 0xffffu
#define ZIP_FULL_32 0xffffffffu

/* Reads n bytes at byte `at` of the file. Returns how many there were, fewer only at its end; -1 with fault filled. */
int64_t zip_read_at(int fd, uint64_t at, void *out, size_t n, struct fault *fault);

/*
 * Sets next, end, base and expected of z, and says in its facts what makes readers disagree. False: z->fault is filled,
 * and there is no directory to read.
 */
bool zip_find_directory(struct zip *z);

#endif
