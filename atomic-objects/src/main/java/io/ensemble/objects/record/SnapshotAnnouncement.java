package io.ensemble.objects.record;

import java.util.UUID;

/**
 * A snapshot that is about to be written, told beforehand so that it can be removed should its
 * writer die.
 *
 * @param snapshot under which name
 * @param writer by whom
 * @param sequence the step that announced it
 */
public record SnapshotAnnouncement(UUID snapshot, UUID writer, long sequence) {}
