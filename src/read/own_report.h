/*
 * Recognises what this program writes: reports in each of its forms, baselines, plans and receipts. They are often
 * kept beside the data, and no later audit may take them for labels or annotations (SKIP_OWN_REPORT). A form is known
 * by its head, never by a name. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether a text begins as one of our own, by its first n bytes. */
bool own_report_begins(const uint8_t *head, size_t n);
