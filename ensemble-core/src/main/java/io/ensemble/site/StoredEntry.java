package io.ensemble.site;

/**
 * An entry as a store holds it.
 *
 * @param value the stored bytes: one of our envelopes
 * @param version the site's opaque entry version; good for one compare-and-set at this store, and
 *     compared for equality only
 */
public record StoredEntry(Bytes value, long version) {}
