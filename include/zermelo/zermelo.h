/* SPDX-License-Identifier: Apache-2.0
 * The whole public interface of the core library. */
#ifndef ZM_ZERMELO_H
#define ZM_ZERMELO_H

#include "adjoint.h"
#include "alloc.h"
#include "convert.h"
#include "diagnose.h"
#include "forward.h"
#include "interval.h"
#include "invert.h"
#include "limit.h"
#include "optimise.h"
#include "outline.h"
#include "parametrise.h"
#include "path.h"
#include "problem.h"
#include "project.h"
#include "reg.h"
#include "status.h"
#include "version.h"

#endif
