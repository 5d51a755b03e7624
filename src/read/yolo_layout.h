/*
 * The usual layout of a YOLO data set: labels/.../NAME.txt belongs to images/.../NAME.jpg (or another extension), where
 * `images` stands for the last folder of the path that is called `labels`, as Ultralytics has it. It uses names
 * alone and opens nothing. Any thread.
 */
#ifndef READ_YOLO_LAYOUT_H
#define READ_YOLO_LAYOUT_H

enum yolo_partner {
	PARTNER_UNKNOWN, /* another layout, or the partner's folder is not there */
	PARTNER_THERE,
	PARTNER_MISSING,
};

enum yolo_partner yolo_find_image(const char *label_path);
enum yolo_partner yolo_find_label(const char *image_path);

#endif
