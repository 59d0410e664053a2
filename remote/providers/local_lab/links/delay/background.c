#define _GNU_SOURCE
#include "background.h"

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Late wake-ups are lateness of frames. Real time is refused to some control groups. */
static void be_prompt(void)
{
    struct sched_param priority = {.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO, &priority))
        setpriority(PRIO_PROCESS, 0, -20);
    prctl(PR_SET_TIMERSLACK, 1UL);
}

static void note_process(const char *path)
{
    char stat[1024];
    int from = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t bytes = from < 0 || to < 0 ? -1 : read(from, stat, sizeof stat);
    if (bytes < 0 || write(to, stat, (size_t)bytes) != bytes)
        err(EXIT_FAILURE, "%s", path);
    close(from);
    close(to);
}

void go_to_background(const char *path)
{
    int ready[2];
    char byte = 0;
    if (pipe(ready))
        err(EXIT_FAILURE, "pipe");
    pid_t child = fork();
    if (child < 0)
        err(EXIT_FAILURE, "fork");
    if (child) {
        close(ready[1]);
        _exit(read(ready[0], &byte, 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (setsid() < 0 || chdir("/"))
        err(EXIT_FAILURE, "background");
    be_prompt();
    note_process(path);
    int null = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; stream++)
        if (dup2(null, stream) < 0)
            _exit(EXIT_FAILURE);
    close(null);
    close(ready[0]);
    if (write(ready[1], &byte, 1) != 1)
        _exit(EXIT_FAILURE);
    close(ready[1]);
}
