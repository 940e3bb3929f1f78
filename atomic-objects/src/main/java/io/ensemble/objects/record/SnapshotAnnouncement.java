package io.ensemble.objects.record;

import java.util.UUID;

/**
 * A snapshot that is about to be written. It is announced first, so that it can be removed if its
 * writer dies.
 *
 * @param snapshot the name of the snapshot
 * @param writer the session that writes it
 * @param sequence the step that announced it
 */
public record SnapshotAnnouncement(UUID snapshot, UUID writer, long sequence) {}
