/* The room that a result needs: a full disk is an error before the first byte is written, where it can be known. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "fix/tree.h"

/*
 * Fails if the result cannot have room in the file system of this folder, which is named path. It counts what is copied
 * by its size, what changes by the least that deflate could make of it, and leaves out shared blocks. A file system
 * that may pack what is written is not asked.
 */
enum status space_check(int folder, const char *path, const struct tree *tree, struct error *err);
