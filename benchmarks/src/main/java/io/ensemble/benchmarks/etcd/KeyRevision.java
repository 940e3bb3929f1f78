package io.ensemble.benchmarks.etcd;

/**
 * What a key holds as of a revision.
 *
 * @param modRevision the revision that wrote it: the one before is {@code modRevision - 1} or less
 * @param value what was written
 */
public record KeyRevision(long modRevision, byte[] value) {}
