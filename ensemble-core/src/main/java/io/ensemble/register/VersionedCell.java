package io.ensemble.register;

/**
 * A cell as a site showed it, with the entry version that a compare-and-set at that site needs.
 *
 * @param cell the cell, {@link Cell#absent()} when the site has no entry
 * @param token the site's opaque entry version; compared by the site for equality only, meaningless
 *     when the cell is absent and at any other site
 */
public record VersionedCell<V>(Cell<V> cell, long token) {}
