/* SPDX-License-Identifier: Apache-2.0
 * Spotting: embers that fly ahead of the front and light fires where they land.
 *
 * Embers come from trees that torch, where crowns catch fire (Albini 1979), and from surface fires
 * in the wind where no canopy is above them (Albini 1983).  The formulas tell how high an ember can
 * be lifted and how far the one flies that still burns when it lands; heights are drawn uniformly up
 * to that height.  An ember lands where it meets the terrain, and lights it with the probability of
 * Schroeder (1969), by temperature and moisture of fine dead fuel, times that of the caller. */
#ifndef ZM_SPOTTING_H
#define ZM_SPOTTING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Trees whose flames are known (Albini 1979). */
typedef enum zm_tree_species {
    ZM_TREE_ENGELMANN_SPRUCE = 0,
    ZM_TREE_DOUGLAS_FIR,
    ZM_TREE_SUBALPINE_FIR,
    ZM_TREE_WESTERN_HEMLOCK,
    ZM_TREE_PONDEROSA_PINE,
    ZM_TREE_LODGEPOLE_PINE,
    ZM_TREE_WESTERN_WHITE_PINE,
    ZM_TREE_GRAND_FIR,
    ZM_TREE_BALSAM_FIR,
    ZM_TREE_SLASH_PINE,
    ZM_TREE_LONGLEAF_PINE,
    ZM_TREE_POND_PINE,
    ZM_TREE_SHORTLEAF_PINE,
    ZM_TREE_LOBLOLLY_PINE,
    ZM_TREE_SPECIES
} zm_tree_species;

/** What embers come from. */
typedef enum zm_ember_source {
    ZM_EMBERS_TORCHING = 1, /**< torching trees */
    ZM_EMBERS_SURFACE = 2,  /**< surface fires where there is no canopy */
    ZM_EMBERS_BOTH = 3
} zm_ember_source;

typedef struct zm_spotting_opts {
    size_t size;
    double
        probability; /**< that an ember which lands where fuel could be lit is one that does it,
                             0 to 1; 0: no spotting */
    zm_ember_source from;
    double embers; /**< for each hectare that burns so, on average, 0 to 1e6 */
    zm_tree_species
        species;     /**< of the trees that torch; their height is that of the canopy */
    double diameter; /**< of their stems at breast height, cm, 1 to 500 */
    double trees;    /**< that torch together, 1 to 100 */
    double delay;    /**< min from landing until a fire spreads, 0 to 1440 */
    uint64_t seed;
} zm_spotting_opts;
#define ZM_SPOTTING_OPTS_INIT                                                          \
    {                                                                                  \
        sizeof(zm_spotting_opts), 0.0, ZM_EMBERS_BOTH, 100.0, ZM_TREE_PONDEROSA_PINE,  \
            30.0, 5.0, 2.0, 1                                                          \
    }

/** What embers did in the last arrival times of a model. */
typedef struct zm_spotting_report {
    size_t size; /**< sizeof(zm_spotting_report) */
    int64_t
        landed; /**< embers that came down on fuel and would light it, burned or not */
    int64_t spots; /**< fires that they lit before the front came */
    double
        farthest; /**< m from where such an ember came to where it lit a fire; 0: none */
    int32_t rounds; /**< solves until embers and times agreed */
} zm_spotting_report;
#define ZM_SPOTTING_REPORT_INIT                                                        \
    {                                                                                  \
        sizeof(zm_spotting_report), 0, 0, 0.0, 0                                       \
    }

#ifdef __cplusplus
}
#endif

#endif
