/* SPDX-License-Identifier: Apache-2.0
 * Rasters that seeds name instead of holding them. */
#ifndef ZM_FUZZ_MAPS_H
#define ZM_FUZZ_MAPS_H

enum { MAPS_ROWS = 12, MAPS_COLS = 15, MAPS_CELLS = 10000 };

/** Once: landscape.tif, arrival.tif, none.png, some.png and more.png (masks that grow) into
 *  fuzz_folder. */
void maps_make(void);

#endif
