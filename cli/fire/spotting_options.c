/* SPDX-License-Identifier: Apache-2.0
 * Options of spotting, of verbs that burn fires. */
#include "fire/spotting_options.h"

#include "common/message.h"
#include "fire/rows.h"

#define FIELD(name) offsetof(model_settings, name)

static const option_choice sources[] = { { "torching", ZM_EMBERS_TORCHING },
                                         { "surface", ZM_EMBERS_SURFACE },
                                         { "both", ZM_EMBERS_BOTH },
                                         { 0 } };

static const option_choice species[] = {
    { "engelmann-spruce", ZM_TREE_ENGELMANN_SPRUCE },
    { "douglas-fir", ZM_TREE_DOUGLAS_FIR },
    { "subalpine-fir", ZM_TREE_SUBALPINE_FIR },
    { "western-hemlock", ZM_TREE_WESTERN_HEMLOCK },
    { "ponderosa-pine", ZM_TREE_PONDEROSA_PINE },
    { "lodgepole-pine", ZM_TREE_LODGEPOLE_PINE },
    { "western-white-pine", ZM_TREE_WESTERN_WHITE_PINE },
    { "grand-fir", ZM_TREE_GRAND_FIR },
    { "balsam-fir", ZM_TREE_BALSAM_FIR },
    { "slash-pine", ZM_TREE_SLASH_PINE },
    { "longleaf-pine", ZM_TREE_LONGLEAF_PINE },
    { "pond-pine", ZM_TREE_POND_PINE },
    { "shortleaf-pine", ZM_TREE_SHORTLEAF_PINE },
    { "loblolly-pine", ZM_TREE_LOBLOLLY_PINE },
    { 0 }
};

static bool parse_probability(const char *text, void *field)
{
    return parse_tolerance(text, field) && *(const double *)field <= 1;
}

static const option spotting_list[] = {
    VALUE_ROW(
        "spotting", "P", embers.probability, parse_probability, "a number from 0 to 1",
        "embers that land where fuel could be lit do it with this probability, times "
        "that of its moisture; default 0: no spotting"),
    { "embers-from", "WHAT", OPTION_VALUE, FIELD(embers.from), .choices = sources,
      .help = "torching trees, surface fires without a canopy above them, or both; "
              "default both" },
    NOT_NEGATIVE_ROW("embers", "N", embers.embers,
                     "for each hectare that burns so; default 100"),
    { "tree-species", "TREE", OPTION_VALUE, FIELD(embers.species), .choices = species,
      .help = "of trees that torch; default ponderosa-pine" },
    POSITIVE_ROW("tree-diameter", "CM", embers.diameter,
                 "of their stems at breast height; default 30"),
    POSITIVE_ROW("torching-trees", "N", embers.trees, "that torch together; default 5"),
    NOT_NEGATIVE_ROW("spot-delay", "MIN", embers.delay,
                     "from landing until a fire spreads; default 2"),
    VALUE_ROW("embers-seed", "N", embers.seed, parse_seed, "a whole number from 0 on",
              "of the draws of embers; default 1"),
    { 0 }
};
const option_table spotting_options = { "Spotting, with --front travel-time",
                                        spotting_list };

int spotting_check(const model_settings *s)
{
    const zm_spotting_opts *e = &s->embers, usual = ZM_SPOTTING_OPTS_INIT;
    const bool given = e->from != usual.from || e->embers != usual.embers ||
                       e->species != usual.species || e->diameter != usual.diameter ||
                       e->trees != usual.trees || e->delay != usual.delay ||
                       e->seed != usual.seed;

    if (given && !(e->probability > 0))
        return usage_error("--embers-from, --embers, --tree-species, --tree-diameter, "
                           "--torching-trees, --spot-delay and --embers-seed go with "
                           "--spotting");
    return DONE;
}

void spotting_tell(const model_settings *s, const zm_physics *physics)
{
    zm_spotting_report r = ZM_SPOTTING_REPORT_INIT;

    if (s->embers.probability > 0 && zm_physics_spotting(physics, &r, NULL) == ZM_OK)
        note("%lld embers that could light fuel, %lld spot fires ahead of the front, "
             "at most %.0f "
             "m away",
             (long long)r.landed, (long long)r.spots, r.farthest);
}
