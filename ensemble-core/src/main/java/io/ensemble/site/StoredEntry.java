package io.ensemble.site;

/**
 * An entry as a store holds it.
 *
 * @param value the stored bytes: an envelope of Ensemble
 * @param version the site's opaque entry version; valid for one compare-and-set at this store, and
 *     compared for equality only
 */
public record StoredEntry(Bytes value, long version) {}
