/* SPDX-License-Identifier: Apache-2.0
 * The colour maps of the figures. */
#include "core.h"

#include "zermelo/plot/plot.h"

/* colors(map, n) -> bytearray of n (red, green, blue), doubles in 0..1 */
static PyObject *colors(PyObject *module, PyObject *args)
{
    int map, n;
    PyObject *bytes;
    double *rgb;

    (void)module;
    if (!PyArg_ParseTuple(args, "ii", &map, &n))
        return NULL;
    bytes = PyByteArray_FromStringAndSize(NULL,
                                          (Py_ssize_t)n * 3 * (Py_ssize_t)sizeof *rgb);
    if (!bytes)
        return NULL;
    rgb = (double *)(void *)PyByteArray_AsString(bytes);
    for (int i = 0; i < n; i++)
        zm_plot_map_color((zm_plot_map)map, n > 1 ? i / (n - 1.0) : 0, rgb + 3 * i);
    return bytes;
}

PyMethodDef colors_methods[] = {
    { "colors", colors, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
