/* SPDX-License-Identifier: Apache-2.0
 * Solvers that nobody uses, the last one used at the end: a call like the one before finds
 * its work memory ready.  All of it runs with the GIL held. */
#include "core.h"

#include <string.h>

enum { MOST_SOLVERS = 8 };
#define MOST_BYTES ((size_t)256 << 20)

struct solver_pool {
    struct at_rest {
        solver_key key;
        zm_solver *solver;
        size_t bytes;
    } items[MOST_SOLVERS + 1]; /* one more while it is given */
    size_t n, bytes;
};

solver_pool *pool_new(void)
{
    return PyMem_Calloc(1, sizeof(solver_pool));
}

/* Takes item i out. */
static zm_solver *pool_remove(solver_pool *pool, size_t i)
{
    zm_solver *solver = pool->items[i].solver;

    pool->bytes -= pool->items[i].bytes;
    pool->n--;
    memmove(&pool->items[i], &pool->items[i + 1],
            (pool->n - i) * sizeof *pool->items);
    return solver;
}

zm_solver *pool_take(solver_pool *pool, const solver_key *key)
{
    for (size_t i = pool->n; i-- > 0;)
        if (!memcmp(&pool->items[i].key, key, sizeof *key))
            return pool_remove(pool, i);
    return NULL;
}

void pool_give(solver_pool *pool, const solver_key *key, zm_solver *solver)
{
    const size_t bytes = zm_solver_bytes(solver);

    pool->items[pool->n++] = (struct at_rest){ *key, solver, bytes };
    pool->bytes += bytes;
    while (pool->n > MOST_SOLVERS || pool->bytes > MOST_BYTES)
        zm_solver_destroy(pool_remove(pool, 0));
}

void pool_clear(solver_pool *pool)
{
    while (pool->n)
        zm_solver_destroy(pool_remove(pool, pool->n - 1));
}

static PyObject *clear_cache(PyObject *module, PyObject *args)
{
    const core_state *state = PyModule_GetState(module);

    (void)args;
    pool_clear(state->pool);
    Py_RETURN_NONE;
}

PyMethodDef pool_methods[] = {
    { "clear_cache", clear_cache, METH_NOARGS,
      "clear_cache()\n--\n\n"
      "Frees the work memory kept for the next solve.\n\n"
      "At most eight solvers and 256 MB are kept." },
    { NULL, NULL, 0, NULL },
};
