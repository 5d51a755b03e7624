/* The class names of the presets (presets.c), each in the order of its ids. Constant data. */
#ifndef BASE_PRESET_NAMES_H
#define BASE_PRESET_NAMES_H

extern const char *const voc_names[21];
extern const char *const cityscapes_names[19];
extern const char *const cityscapes_labelids_names[34];
extern const char *const mapillary_v1_names[66];
extern const char *const mapillary_v2_names[124];
extern const char *const ade20k_names[150];
extern const char *const coco_stuff_names[171];
extern const char *const pascal_context_names[60];
extern const char *const camvid_names[11];
extern const char *const loveda_names[7];
extern const char *const isprs_names[6];
extern const char *const isaid_names[16];
extern const char *const nyuv2_names[40];
extern const char *const vessels_names[2];
extern const char *const trimap_names[3];

#endif
