/* How the switch becomes a process of its own. */

#ifndef MWLAB_BACKGROUND_H
#define MWLAB_BACKGROUND_H

/* Go on as a child that wakes promptly. The parent ends when the child has noted its line of
 * /proc/PID/stat in `path`; what fails until then is seen by whoever started this. */
void go_to_background(const char *path);

#endif
