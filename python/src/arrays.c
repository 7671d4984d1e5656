/* SPDX-License-Identifier: Apache-2.0
 * Arrays through the buffer protocol. */
#include "core.h"

#include <string.h>

char dtype_type(zm_dtype dtype)
{
    return dtype == ZM_F32 ? 'f' : 'd';
}

/* Type letter of a buffer in native byte order, 0 if it is anything else. */
static char type_of(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";

    if (*format == '@' || *format == '=' || *format == (PY_LITTLE_ENDIAN ? '<' : '>'))
        format++;
    if (strlen(format) != 1)
        return 0;
    if (*format == '?')
        return 'B';
    if (*format == 'l') /* C's long */
        return view->itemsize == 8 ? 'q' : 'i';
    return *format;
}

static bool has_type(const Py_buffer *view, char type, const char *name)
{
    if (type_of(view) == type)
        return true;
    PyErr_Format(PyExc_TypeError, "%s has items of type '%s', expected '%c'", name,
                 view->format ? view->format : "B", type);
    return false;
}

/* An array that begins anywhere, as in a file that is mapped, cannot be read by its type. */
static bool is_aligned(const Py_buffer *view, const char *name)
{
    if ((uintptr_t)view->buf % (size_t)view->itemsize == 0)
        return true;
    PyErr_Format(PyExc_ValueError, "%s is not aligned to its items of %zd bytes", name,
                 view->itemsize);
    return false;
}

bool array_open(PyObject *object, Py_buffer *view, char type, size_t count,
                bool writable, const char *name)
{
    const int flags =
        PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);

    view->obj = NULL;
    if (PyObject_GetBuffer(object, view, flags))
        return false;
    if (!has_type(view, type, name) || !is_aligned(view, name)) {
        PyBuffer_Release(view);
        return false;
    }
    if ((size_t)view->len != count * (size_t)view->itemsize) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes, expected %zd items", name,
                     view->len, (Py_ssize_t)count);
        PyBuffer_Release(view);
        return false;
    }
    return true;
}

/* Rows and columns are as in the grid, and each plane is one piece. */
static bool planes_fit(const Py_buffer *view, const zm_grid *grid)
{
    const int d = view->ndim;

    return d >= 2 && d <= 4 && view->shape[d - 2] == grid->rows &&
           view->shape[d - 1] == grid->cols &&
           (grid->cols == 1 || view->strides[d - 1] == view->itemsize) &&
           (grid->rows == 1 || view->strides[d - 2] == grid->cols * view->itemsize);
}

static void planes_measure(planes *p)
{
    const int d = p->view.ndim;

    p->count = d == 2 ? 1 : (int)p->view.shape[d - 3];
    p->plane_stride = d == 2 ? 0 : p->view.strides[d - 3];
    p->batch = d == 4 ? p->view.shape[0] : 1;
    p->batch_stride = p->batch > 1 ? p->view.strides[0] : 0;
}

bool planes_open(PyObject *object, planes *p, const zm_grid *grid, zm_dtype dtype,
                 Py_ssize_t batch, bool writable, const char *name)
{
    const int flags = PyBUF_STRIDES | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);

    *p = (planes){ .view.obj = NULL };
    if (object == Py_None)
        return true;
    if (PyObject_GetBuffer(object, &p->view, flags))
        return false;
    if (!has_type(&p->view, dtype_type(dtype), name) || !is_aligned(&p->view, name))
        goto failed;
    if (!planes_fit(&p->view, grid)) {
        PyErr_Format(PyExc_ValueError, "%s: planes are not %d x %d contiguous values",
                     name, (int)grid->rows, (int)grid->cols);
        goto failed;
    }
    planes_measure(p);
    if (p->batch != 1 && p->batch < batch) {
        PyErr_Format(PyExc_ValueError, "%s: %zd in the batch, expected %zd", name,
                     p->batch, batch);
        goto failed;
    }
    return true;
failed:
    planes_close(p);
    return false;
}

void planes_close(planes *p)
{
    if (p->view.obj)
        PyBuffer_Release(&p->view);
    p->count = 0;
}

void *planes_at(const planes *p, Py_ssize_t problem, int k)
{
    if (!p->count)
        return NULL;
    return (char *)p->view.buf + problem * p->batch_stride + k * p->plane_stride;
}

metric_planes planes_metric(const planes *p, Py_ssize_t problem)
{
    metric_planes m = { planes_at(p, problem, 0), NULL, NULL };

    if (p->count == 2)
        m.g22 = planes_at(p, problem, 1);
    if (p->count == 3) {
        m.g12 = planes_at(p, problem, 1);
        m.g22 = planes_at(p, problem, 2);
    }
    return m;
}
