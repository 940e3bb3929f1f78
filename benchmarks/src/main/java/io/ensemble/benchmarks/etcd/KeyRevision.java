package io.ensemble.benchmarks.etcd;

/**
 * The content of a key as of a revision.
 *
 * @param modRevision the revision that wrote it: the one before is {@code modRevision - 1} or less
 * @param value the value written
 */
public record KeyRevision(long modRevision, byte[] value) {}
