/*
 * `labelaudit doctor`: the build, every library that is linked, the features of the processor, the devices, and what
 * --device auto stands for here.
 */
#ifndef COMMAND_DOCTOR_H
#define COMMAND_DOCTOR_H

#include "base/strbuf.h"
#include "cli/options.h"

void doctor(const struct options *options, struct strbuf *out);

#endif
