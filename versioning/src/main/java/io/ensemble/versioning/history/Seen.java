package io.ensemble.versioning.history;

import org.jspecify.annotations.Nullable;

/**
 * A version, and its value or where that is.
 *
 * @param removed whether the key was removed with it
 * @param value null where it is in a pack
 * @param index in that pack
 */
public record Seen(
    byte[] version,
    long sequence,
    boolean removed,
    byte @Nullable [] value,
    long pack,
    int index) {}
