"""A campaign: all runs of one or more sections in one profile, measured, kept and resumed."""

from remote.campaign.campaign import DATA_DIR, NO_FLEET, Campaign

__all__ = ["DATA_DIR", "NO_FLEET", "Campaign"]
