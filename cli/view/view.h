/* SPDX-License-Identifier: Apache-2.0
 * A run of zermelo view: its settings, what its inputs are, and the page under construction. */
#ifndef ZM_CLI_VIEW_VIEW_H
#define ZM_CLI_VIEW_VIEW_H

#include "common/inputs.h"
#include "common/json.h"
#include "common/verb.h"
#include "zermelo/view.h"
#if defined(ZM_WITH_MAPS)
#include "fire/uncertain.h"
#endif

typedef struct view_settings {
#if defined(ZM_WITH_MAPS)
    uncertain_settings of; /* first: the model's tables are about it; its fire, members and t_max */
#endif
    problem_settings problem; /* metric, drift, walls, sources, scheme, quiet, json */
    file_list times, maps, gradients;
    file_list fires; /* names */
    const char *out, *title, *unit_time, *unit_length;
    int colormap; /* 0: not given */
    size_t most_bytes;
} view_settings;

extern const option_table view_fire_options; /* where ZM_WITH_MAPS */

/** What an input is, by what is in it. */
typedef enum input_kind {
    INPUT_ARRAY,    /**< an NPY file */
    INPUT_REPORT,   /**< JSON, as zermelo invert writes it */
    INPUT_MAP,      /**< a raster */
    INPUT_SCENE,    /**< a folder with landscape.tif and fires.csv */
    INPUT_OBSERVED, /**< a folder with the perimeters of a fire */
    INPUT_RESULTS   /**< another folder with rasters */
} input_kind;

/** How the user wants an array or raster to be read. */
typedef enum input_role { READ_AS_IT_IS, READ_TIMES, READ_MAP, READ_GRADIENT } input_role;

typedef struct input {
    const char *path;
    input_kind kind;
    input_role role;
} input;

typedef struct building {
    const view_settings *s;
    input *inputs; /* n of them */
    size_t n;
    zm_view *page; /* NULL: not begun */
    int32_t rows, cols;
    const char *first; /* input that the grid was taken from */
    json report;       /* of --json: its fields */
    source_list found; /* where the first times begin */
    double unit;       /* of a map: metres in a unit of it */
    bool first_times;  /* found is set */
#if defined(ZM_WITH_MAPS)
    zm_georeference where; /* of the page; its text is owned */
#endif
} building;

/** Facts of a page that its kind knows. */
typedef struct page_facts {
    int32_t rows, cols;
    double across, down;
    const char *unit_time, *unit_length; /* unless the options say otherwise */
    const char *colormap;                /* the same */
    const char *command;                 /* NULL: none */
} page_facts;

/** The name of --colormap, or what is usual. */
const char *view_colormap(const view_settings *settings, const char *usual);

/** Begins the page.  DONE, or an exit status after a message. */
int building_begin(building *b, const page_facts *facts);

/** Adds a field and says what it was taken for; `from` stands in messages. */
int building_add(building *b, const zm_view_field *field, const char *from, int32_t *index);

/** Refuses a grid other than that of the page. */
int building_check_grid(const building *b, const char *path, size_t rows, size_t cols);

/** Writes page and report, tells. */
int building_end(building *b);
void building_free(building *b);

/** What a plane without a name is: arrival times begin at 0, or at the time of a source, and rise
 *  from there; maps below and above zero are signed. */
zm_view_role plane_role(const building *b, input_role wanted, zm_view_type type, const void *plane);

/** Notes where times begin, unless that is known from others. */
void building_find_sources(building *b, zm_view_type type, const void *T);

/** A value of a plane as double. */
double plane_value(zm_view_type type, const void *plane, size_t i);

/** Adds --name value to a command, quoted for a shell; value NULL: a flag. */
void command_add(zm_text *command, const char *name, const char *value);
void command_number(zm_text *command, const char *name, double value);
void command_word(zm_text *command, const char *word);

/** Arrays alone, or with a metric: a page of kind "grid". */
int page_of_arrays(building *b);

/** The arrays among the inputs, on a page that has begun. */
int add_arrays(building *b);

/** Rasters, and folders of them. */
int page_of_maps(building *b);
int add_maps(building *b);

#if defined(ZM_WITH_MAPS)
/** Says where the grid of the page is; from then on maps must be there too. */
int building_place(building *b, const zm_georeference *where);

/** Scenes and observed fires; `which` is the input. */
int page_of_fires(building *b, const input *which);
#endif

/** The history of an inversion from its report. */
int add_reports(building *b);

#endif
