/*
 * Reads what a dataset.json of nnU-Net declares about its images, and compares it with the names in imagesTr, as
 * `nnUNetv2_plan_and_preprocess --verify_dataset_integrity` does (nnunetv2/experiment_planning/
 * verify_dataset_integrity.py). The images themselves are compared with the label maps later (find/pairs.h).
 */
#pragma once

#include <stdbool.h>

#include "base/strbuf.h"
#include "find/pairs.h"
#include "read/class_file.h"

/*
 * Fills *names, without channels if the images cannot be compared, since the file gives their paths itself (`dataset`),
 * or there is no imagesTr in the folder. Appends to faults what nnU-Net stops at. Returns false if it needs imagesTr,
 * and there is none.
 */
bool nnunet_compare(const struct class_file *file, int folder_fd, struct channel_names *names, struct strbuf *faults);
