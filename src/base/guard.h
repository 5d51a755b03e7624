/*
 * Marks what protects the program from its inputs and from failures, so that `make plant` can remove one protection
 * after the other and check that a test fails (tests/planted/faults).
 *
 * GUARD(name, condition) is `condition`; with -DPLANT -DPLANT_name it is evaluated, but false.
 * PLANTED(name, value, fault) is `value`; with -DPLANT -DPLANT_name it is `fault`.
 *
 * Without PLANT they leave no trace in the object code.
 */
#pragma once

#ifndef PLANT
#define GUARD(name, condition)      (condition)
#define PLANTED(name, value, fault) (value)
#else

/* PLANT_name is 1 or undefined: as 1 it becomes two arguments, so that the fault is the second one (IS_ENABLED of
 * Linux). */
#define GUARD_PLANTED_1                       0,
#define GUARD_SECOND(first, second, ...)      second
#define GUARD_SELECT(marker, value, fault)    GUARD_SECOND(marker(fault), (value), 0)
#define GUARD_MARKER(defined, value, fault)   GUARD_SELECT(GUARD_PLANTED_##defined, value, fault)
#define GUARD_EXPANDED(defined, value, fault) GUARD_MARKER(defined, value, fault)

#define GUARD(name, condition)      ((condition) && PLANTED(name, 1, 0))
#define PLANTED(name, value, fault) GUARD_EXPANDED(PLANT_##name, value, fault)

#endif
