/* Everything that the file of a rule usually needs: the contract, the role of an id, and the shared wording. */
#ifndef JUDGE_CHECK_H
#define JUDGE_CHECK_H

#include <inttypes.h>

#include "base/mem.h"
#include "judge/role.h"
#include "judge/rule.h"
#include "judge/wording.h"

#endif
