"""A campaign: all runs of one or more sections in one profile, measured, kept and resumed.

`Campaign.measure` leads from a section file to the start of a run through these modules, in this
order; each passes on what it has made, and none is asked again::

    experiment/section_file   reads each file once: a `Section`
    record                    holds it to what the campaign was begun with
    opened_section            an `OpenedSection`: the section, its file, its runs
    planning/cell             reads what has been measured of each configuration
    planning/plan             plans which runs come next: a `Plan`
    controller                takes one section after the other, on hosts
    lab                       says with which time dilation, and brings the local lab to it
    providers/sole_control    keeps other processes out
    hosts/provision           prepares hosts
    attempts                  measures planned runs until each is accepted or given up
    experiment/sessions/load  starts servers, middlewares and generators: the run begins

While runs are measured, `OpenedSection.plan` is asked for more until nothing is missing; what is on
disk is all that it goes by (`states`).
"""

from remote.campaign.campaign import NO_FLEET, Campaign

__all__ = ["NO_FLEET", "Campaign"]
