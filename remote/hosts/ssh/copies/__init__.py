"""Files that go to hosts and come from them: SFTP and tar, bounded whatever a host sends."""
