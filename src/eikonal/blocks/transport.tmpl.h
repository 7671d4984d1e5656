/* SPDX-License-Identifier: Apache-2.0
 * Transport along the donor graph for one type of offsets: define REAL and NAME(x). */

static inline donors NAME(donors_of)(const graph_view *v, uint32_t k)
{
    const uint8_t c = v->code[k];
    const double w = fabs((double)((const REAL *)v->offset)[k]);

    return (donors){ (uint32_t)((ptrdiff_t)k + v->steps.axis[c]),
                     (uint32_t)((ptrdiff_t)k + v->steps.diagonal[c]), w };
}

/* Solves a strongly connected part: values wait in `pending` until their cell's turn. */
static bool NAME(push_part)(const graph_view *v, const uint32_t *order, size_t n,
                            double *lambda)
{
    const int most = rounds_of(n);
    double came_in = 0.0, left;

    for (size_t i = 0; i < n; i++) {
        const uint32_t k = order[i] & ZM_BLOCKS_CELL;

        v->member[k] = 1;
        v->pending[k] = lambda[k];
        came_in += fabs(lambda[k]);
        lambda[k] = 0.0;
    }
    left = came_in;
    if (!isfinite(came_in)) /* every cell of the part depends on every other */
        for (size_t i = 0; i < n; i++)
            lambda[order[i] & ZM_BLOCKS_CELL] = NAN;
    for (int round = 0; round < most && isfinite(left) && left > SETTLED * came_in; round++) {
        for (size_t i = 0; i < n; i++) {
            const uint32_t k = order[i] & ZM_BLOCKS_CELL;
            const donors d = NAME(donors_of)(v, k);
            const double now = v->pending[k];

            v->pending[k] = 0.0;
            lambda[k] += now;
            if (v->member[d.axis])
                v->pending[d.axis] += (1.0 - d.weight) * now;
            if (v->member[d.diagonal])
                v->pending[d.diagonal] += d.weight * now;
        }
        left = 0.0;
        for (size_t i = 0; i < n; i++)
            left += fabs(v->pending[order[i] & ZM_BLOCKS_CELL]);
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t k = order[i] & ZM_BLOCKS_CELL;
        const donors d = NAME(donors_of)(v, k);

        if (!v->member[d.axis])
            lambda[d.axis] += (1.0 - d.weight) * lambda[k];
        if (!v->member[d.diagonal])
            lambda[d.diagonal] += d.weight * lambda[k];
    }
    for (size_t i = 0; i < n; i++)
        v->member[order[i] & ZM_BLOCKS_CELL] = 0;
    return !(left > SETTLED * came_in);
}

static bool NAME(push)(const graph_view *v, double *lambda)
{
    bool settled = true;

    for (size_t i = 0; i < v->n; i++) {
        const uint32_t k = v->order[i];

        if (k & ZM_BLOCKS_CYCLIC) {
            const size_t n = part_length(v, i);

            settled = NAME(push_part)(v, v->order + i, n, lambda) && settled;
            i += n - 1;
            continue;
        }
        const donors d = NAME(donors_of)(v, k);
        const double l = lambda[k];

        lambda[d.axis] += (1.0 - d.weight) * l;
        lambda[d.diagonal] += d.weight * l;
    }
    return settled;
}

static inline double NAME(pulled)(const graph_view *v, uint32_t k, const double *value)
{
    const donors d = NAME(donors_of)(v, k);

    return (1.0 - d.weight) * value[d.axis] + d.weight * value[d.diagonal];
}

static bool NAME(pull_part)(const graph_view *v, const uint32_t *order, size_t n,
                            double *value)
{
    const int most = rounds_of(n);

    for (size_t i = 0; i < n; i++) {
        const uint32_t k = order[i] & ZM_BLOCKS_CELL;

        v->pending[k] = value[k]; /* its own part; value grows from 0 */
        value[k] = 0.0;
    }
    for (int round = 0; round < most; round++) {
        double change = 0.0, size = 0.0;

        for (size_t i = n; i-- > 0;) {
            const uint32_t k = order[i] & ZM_BLOCKS_CELL;
            const double now = v->pending[k] + NAME(pulled)(v, k, value);

            change += fabs(now - value[k]);
            size += fabs(now);
            value[k] = now;
        }
        if (!isfinite(change)) /* every cell of the part depends on every other */
            for (size_t i = 0; i < n; i++)
                value[order[i] & ZM_BLOCKS_CELL] = NAN;
        if (!(change > SETTLED * size) || !isfinite(change))
            return true;
    }
    return false;
}

static bool NAME(pull)(const graph_view *v, double *value)
{
    bool settled = true;

    for (size_t i = v->n; i-- > 0;) {
        const uint32_t k = v->order[i];

        if (k & ZM_BLOCKS_CYCLIC) { /* the last of its part: find the first */
            size_t first = i;

            while (first > 0 && (v->order[first - 1] & ZM_BLOCKS_CYCLIC) &&
                   !(v->order[first - 1] & ZM_BLOCKS_LAST))
                first--;
            settled =
                NAME(pull_part)(v, v->order + first, i + 1 - first, value) && settled;
            i = first;
            continue;
        }
        value[k] += NAME(pulled)(v, k, value);
    }
    return settled;
}
