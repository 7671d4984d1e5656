/* SPDX-License-Identifier: Apache-2.0
 * Options of zermelo convert, and which of them go together. */
#include <string.h>

#include "convert.h"
#include "common/message.h"

#define FIELD(name) offsetof(convert_settings, name)

static const option_choice forms[] = { { "zermelo", ZM_FORM_ZERMELO },
                                       { "randers", ZM_FORM_RANDERS },
                                       { "ellipse", ZM_FORM_ELLIPSE },
                                       { "focus", ZM_FORM_FOCUS },
                                       { 0 } };
static const option_choice forms_wanted[] = { { "randers", ZM_FORM_RANDERS },
                                              { "zermelo", ZM_FORM_ZERMELO },
                                              { "ellipse", ZM_FORM_ELLIPSE },
                                              { 0 } };
static const option_choice conventions[] = { { "compass", ZM_HEADING_COMPASS },
                                             { "math", ZM_HEADING_MATH },
                                             { 0 } };

const char *form_name(int form)
{
    return choice_name(forms, form);
}

static bool parse_tilt(const char *text, void *field)
{
    return parse_tolerance(text, field) && *(double *)field <= 1;
}

static const option form_list[] = {
    { "from", "FORM", OPTION_VALUE, FIELD(from), .required = true, .choices = forms,
      .help = "what is given: zermelo (speed in still air and wind), randers (metric G "
              "and drift b), ellipse (head, flank and back rates of spread, heading), "
              "focus (head rate, length-to-breadth ratio, heading)" },
    { "to", "FORM", OPTION_VALUE, FIELD(to), .choices = forms_wanted,
      .help = "what is wanted: randers, zermelo or ellipse; default randers, which the "
              "other verbs take" },
    { "convention", "NAME", OPTION_VALUE, FIELD(convention), .choices = conventions,
      .help = "compass: headings are degrees clockwise from north, row 0 in the north "
              "(90 is "
              "along +x); math: radians from +x towards +y; default compass" },
    { "tilt", "MAX", OPTION_VALUE, FIELD(tilt), .parse = parse_tilt,
      .expects = "a number from 0 to 1",
      .help =
          "to ellipse: how far from the drift the axes of the ellipse may be, "
          "default 0.001; 1 takes any, and loses what head, flank, back and heading "
          "cannot say" },
    { 0 }
};
const option_table convert_form_options = { "Conversion", form_list };

static const option given_list[] = {
    { "metric", "FILE", OPTION_INPUT, FIELD(metric),
      .help = "from randers: G; from zermelo: h. Shape (3, rows, cols) for 11 (xx), 12 "
              "(xy), 22 (yy), or (rows, cols) for a multiple of the unit matrix" },
    { "drift", "FILE", OPTION_INPUT, FIELD(drift),
      .help = "from randers: b; from zermelo: the wind W. Shape (2, rows, cols) for x "
              "and y; default: none" },
    { "head", "FILE|NUMBER", OPTION_INPUT, FIELD(head),
      .help = "rate of spread along the heading: shape (rows, cols), or one number for "
              "every cell; likewise below" },
    { "flank", "FILE|NUMBER", OPTION_INPUT, FIELD(flank),
      .help = "half the rate at which the ellipse grows in breadth" },
    { "back", "FILE|NUMBER", OPTION_INPUT, FIELD(back),
      .help = "rate against the heading, at most that of the head" },
    { "length-to-breadth", "FILE|NUMBER", OPTION_INPUT, FIELD(length_to_breadth),
      .help = "from focus: length over breadth of the ellipse, at least 1" },
    { "heading", "FILE|NUMBER", OPTION_INPUT, FIELD(heading),
      .help = "where the head goes (not where the wind comes from)" },
    { "walls", "FILE", OPTION_INPUT, FIELD(walls),
      .help = "shape (rows, cols): cells where this is not zero are not looked at and "
              "become 0" },
    { "shape", "ROWS,COLS", OPTION_VALUE, FIELD(shape), .parse = parse_shape,
      .expects = "two whole numbers from 1 on, e.g. 200,300, for less than 2^30 cells",
      .help = "size of the fields; needed where everything is a number" },
    { 0 }
};
const option_table convert_given_options = { "Given", given_list };

static const option wanted_list[] = {
    { "out-metric", "FILE", OPTION_OUTPUT, FIELD(out_metric),
      .help = "to randers: G; to zermelo: h; shape (3, rows, cols)" },
    { "out-drift", "FILE", OPTION_OUTPUT, FIELD(out_drift),
      .help = "to randers: b; to zermelo: the wind W; shape (2, rows, cols)" },
    { "out-head", "FILE", OPTION_OUTPUT, FIELD(out_head),
      .help = "to ellipse: head rates, shape (rows, cols); likewise below" },
    { "out-flank", "FILE", OPTION_OUTPUT, FIELD(out_flank), .help = "flank rates" },
    { "out-back", "FILE", OPTION_OUTPUT, FIELD(out_back), .help = "back rates" },
    { "out-heading", "FILE", OPTION_OUTPUT, FIELD(out_heading), .help = "headings" },
    { "dtype", "TYPE", OPTION_VALUE, FIELD(dtype), .choices = dtype_choices,
      .help = "float32 or float64: type of the results; default float32 if all fields "
              "given are, else float64" },
    { "quiet", NULL, OPTION_FLAG, FIELD(quiet), .help = "print errors only: no notes" },
    { 0 }
};
const option_table convert_wanted_options = { "Wanted", wanted_list };

const part given_parts[] = {
    { ZM_FORM_RANDERS, "metric", FIELD(metric), 0, 3, false },
    { ZM_FORM_RANDERS, "drift", FIELD(drift), 3, 2, true },
    { ZM_FORM_ZERMELO, "metric", FIELD(metric), 0, 3, false },
    { ZM_FORM_ZERMELO, "drift", FIELD(drift), 3, 2, true },
    { ZM_FORM_ELLIPSE, "head", FIELD(head), 0, 1, false },
    { ZM_FORM_ELLIPSE, "flank", FIELD(flank), 1, 1, false },
    { ZM_FORM_ELLIPSE, "back", FIELD(back), 2, 1, false },
    { ZM_FORM_ELLIPSE, "heading", FIELD(heading), 3, 1, false },
    { ZM_FORM_FOCUS, "head", FIELD(head), 0, 1, false },
    { ZM_FORM_FOCUS, "length-to-breadth", FIELD(length_to_breadth), 1, 1, false },
    { ZM_FORM_FOCUS, "heading", FIELD(heading), 2, 1, false },
};
const part wanted_parts[] = {
    { ZM_FORM_RANDERS, "out-metric", FIELD(out_metric), 0, 3, true },
    { ZM_FORM_RANDERS, "out-drift", FIELD(out_drift), 3, 2, true },
    { ZM_FORM_ZERMELO, "out-metric", FIELD(out_metric), 0, 3, true },
    { ZM_FORM_ZERMELO, "out-drift", FIELD(out_drift), 3, 2, true },
    { ZM_FORM_ELLIPSE, "out-head", FIELD(out_head), 0, 1, true },
    { ZM_FORM_ELLIPSE, "out-flank", FIELD(out_flank), 1, 1, true },
    { ZM_FORM_ELLIPSE, "out-back", FIELD(out_back), 2, 1, true },
    { ZM_FORM_ELLIPSE, "out-heading", FIELD(out_heading), 3, 1, true },
};
const char *part_value(const convert_settings *s, const part *p)
{
    return *(const char *const *)((const char *)s + p->offset);
}

/* Options must be those of the form; *n counts the ones that are there. */
static int check_parts(const convert_settings *s, const part *parts, size_t n_parts,
                       int form, const char *direction, int *n)
{
    *n = 0;
    for (size_t i = 0; i < n_parts; i++) {
        const bool of_form = (int)parts[i].form == form, set = part_value(s, &parts[i]);
        bool known = of_form;

        for (size_t k = 0; k < n_parts && !known; k++)
            known = (int)parts[k].form == form && parts[k].offset == parts[i].offset;
        if (set && !known)
            return usage_error("--%s does not go with --%s %s", parts[i].option,
                               direction, form_name(form));
        if (of_form && !set && !parts[i].optional)
            return usage_error("--%s %s needs --%s", direction, form_name(form),
                               parts[i].option);
        *n += of_form && set;
    }
    return DONE;
}

int convert_settings_check(const convert_settings *s)
{
    const bool headings =
        s->from >= (int)ZM_FORM_ELLIPSE || s->to == (int)ZM_FORM_ELLIPSE;
    int n;

    if (s->from == s->to)
        return usage_error("--from %s and --to %s are the same; nothing to convert",
                           form_name(s->from), form_name(s->to));
    TRY(check_parts(s, given_parts, N_GIVEN, s->from, "from", &n));
    TRY(check_parts(s, wanted_parts, N_WANTED, s->to, "to", &n));
    if (n == 0)
        return usage_error("nothing to write; give %s",
                           s->to == (int)ZM_FORM_ELLIPSE
                               ? "--out-head, --out-flank, --out-back or --out-heading"
                               : "--out-metric or --out-drift");
    if (s->convention != NO_CONVENTION && !headings)
        return usage_error("--convention needs a heading, which neither --from "
                           "%s nor --to %s has",
                           form_name(s->from), form_name(s->to));
    if (s->tilt >= 0 && s->to != (int)ZM_FORM_ELLIPSE)
        return usage_error("--tilt goes with --to ellipse only");
    return DONE;
}
