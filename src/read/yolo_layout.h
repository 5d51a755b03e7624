/*
 * Finds the partner of a file in a YOLO data set: labels/.../NAME.txt belongs to images/.../NAME.jpg (or another
 * extension). As in Ultralytics, the last folder of the path named `labels` is replaced by `images`. Opens no file. Any
 * thread.
 */
#pragma once

#include "base/strbuf.h"

enum yolo_partner {
	PARTNER_UNASKED, /* nobody searched for it */
	PARTNER_UNKNOWN, /* another layout, or the partner's folder does not exist */
	PARTNER_THERE,
	PARTNER_MISSING,
	PARTNER_OTHER_CASE, /* the same, but there is one of this name in capitals, or in small letters */
	PARTNER_ELSEWHERE,  /* there, but its trainer looks for this text in another folder */
};

struct member_images;

/* *image: becomes the path of the image if that is there; or NULL. members: as in path_exists(). */
enum yolo_partner yolo_find_image(const struct member_images *members, const char *label_path, struct strbuf *image);
enum yolo_partner yolo_find_label(const struct member_images *members, const char *image_path);
