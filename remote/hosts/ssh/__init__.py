"""From a host of the inventory to an open SSH transport: options, pinned keys, jump hosts."""
