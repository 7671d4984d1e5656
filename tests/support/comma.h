/* SPDX-License-Identifier: Apache-2.0
 * A locale in which one and a half is written 1,5, as programs with a graphical interface
 * have usually set it in half of Europe. */
#ifndef ZM_TESTS_COMMA_H
#define ZM_TESTS_COMMA_H

#include <stdbool.h>

#include "check.h"

/** Sets it, and makes it with localedef where the machine has none; false, and the test is
 *  skipped, where that cannot be done. */
bool comma_begin(test_run *t);

/** Sets the locale "C" again. */
void comma_end(void);

#endif
