/*
 * Writing everything: a write may take less than it was given, or be interrupted. False with errno set; how much was
 * taken by then is not known. Any thread.
 */
#ifndef BASE_WRITE_ALL_H
#define BASE_WRITE_ALL_H

#include <stdbool.h>
#include <stddef.h>

bool write_all(int fd, const void *bytes, size_t n);

#endif
