/* SPDX-License-Identifier: Apache-2.0
 * Which fires of a scene are chosen. */
#include "fire/choose_fires.h"

#include <string.h>

#include "common/message.h"
#include "core/text.h"

bool fire_is_chosen(const zm_scene *scene, size_t i, const char *split,
                    const char *fire)
{
    if (fire && strcmp(fire, zm_scene_fire(scene, i)->name) != 0)
        return false;
    return !split || !strcmp(split, zm_scene_split_word(scene, i));
}

size_t fires_chosen(const zm_scene *scene, const char *split, const char *fire)
{
    size_t n = 0;

    for (size_t i = 0; i < zm_scene_count(scene); i++)
        n += fire_is_chosen(scene, i, split, fire);
    return n;
}

/* Whether no fire before i has its word in the column split. */
static bool is_new_split(const zm_scene *scene, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(zm_scene_split_word(scene, k), zm_scene_split_word(scene, i)))
            return false;
    return *zm_scene_split_word(scene, i) != '\0';
}

int no_fire_chosen(const zm_scene *scene, const char *split, const char *fire)
{
    const char *folder = zm_scene_folder(scene);
    zm_text splits = { 0 };

    if (zm_scene_count(scene) == 0)
        return failure("%s: has no fires", folder);
    if (fire && zm_scene_find(scene, fire) == zm_scene_count(scene))
        return failure("%s: has no fire %s", folder, fire);
    for (size_t i = 0; i < zm_scene_count(scene); i++)
        if (is_new_split(scene, i))
            zm_text_print(&splits, "%s%s", splits.n ? ", " : "",
                          zm_scene_split_word(scene, i));
    zm_text_add_bytes(&splits, "", 1); /* ends the string */
    failure("%s: no fire%s%s has '%s' in the column split; there is %s", folder,
            fire ? " " : "", fire ? fire : "", split,
            !splits.failed && *splits.bytes ? splits.bytes : "nothing in it");
    zm_text_free(&splits);
    return FAILED;
}
