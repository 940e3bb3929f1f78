package io.ensemble.primary;

/**
 * A copy as a site showed it, with the entry version that a compare-and-set at that site needs.
 *
 * @param copy the copy, {@link Copy#absent()} when there is none
 * @param token the site's opaque entry version; meaningless when the copy is absent
 */
public record VersionedCopy<V>(Copy<V> copy, long token) {}
