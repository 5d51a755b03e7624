/*
 * The first bytes of a file that may or may not be a label file, without reading the rest: how a walk tells masks from
 * the pictures and notes that lie beside them.
 */
#ifndef READ_PEEK_H
#define READ_PEEK_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/*
 * Enough for every signature (that of tar is at 257), for some lines of a text, and for the first keys of a JSON file;
 * no more time than fewer, since the kernel reads whole pages.
 */
enum { PEEK_BYTES = 4096 };

/*
 * Reads up to PEEK_BYTES of name below dirfd; a FIFO or a device is opened without blocking and not read.
 * Returns how many, or -1 with fault filled (FAULT_UNREADABLE).
 */
int peek_file(int dirfd, const char *name, uint8_t head[PEEK_BYTES], struct fault *fault);

#endif
