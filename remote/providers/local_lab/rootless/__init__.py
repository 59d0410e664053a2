"""The lab of a user who is not root, in namespaces that a process of this user holds."""
