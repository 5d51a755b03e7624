/*
 * XXH3-128 of content: whether two things are equal. Unlike those of base/hash.h these keys have no seed and are the
 * same in every run, since reports of shards hold them. One thread an object.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct content_hash;

/* The caller ends it with content_hash_finish(). */
struct content_hash *content_hash_new(void);
void content_hash_add(struct content_hash *h, const void *bytes, size_t n);
/* Frees h. */
void content_hash_finish(struct content_hash *h, uint64_t out[2]);

/* The same of n bytes at once. */
void content_hash_bytes(const void *bytes, size_t n, uint64_t out[2]);
