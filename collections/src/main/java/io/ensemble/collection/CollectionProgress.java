package io.ensemble.collection;

/**
 * How far an iteration is.
 *
 * @param passes the passes over the keys that have begun, repeated ones included
 * @param scanned the keys that passes have scanned; a key counts once for each replica and pass
 * @param visited the keys that this iteration has read or left out
 * @param fraction of the slice that is done, by the position, in [0, 1]; accurate because keys are
 *     evenly spread
 */
public record CollectionProgress(long passes, long scanned, long visited, double fraction) {}
