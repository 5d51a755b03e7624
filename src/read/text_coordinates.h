/*
 * Recognises texts of coordinates without classes: landmarks and boxes, in which no number is an id. Pure, any thread.
 *
 *   version: 1 / n_points: 68 / { / 12.5 40.1 / ...          .pts, of ibug's faces: 300-W, Helen
 *   106 / 12.5 40.1 / ...                                    a first line that counts the points: LaPa
 *   a/1.jpg / 2 / 449 330 122 149 0 / 12 33 9 14 0 / ...     an image, its number of boxes, these: WIDER Face
 *   377,117,463,117,465,130,378,130,Genaxis                  what is written within four corners: ICDAR, SROIE
 *   image_id,lefteye_x,lefteye_y                             a header of nothing but coordinates, sizes and paths
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns whether a text that begins with s[0..n) is one of these; whole: that is all of it. */
bool text_is_coordinates(const char *s, size_t n, bool whole);
