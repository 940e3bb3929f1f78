package io.ensemble.benchmarks.etcd;

/**
 * The outcome of a write of a key on the condition that it has not changed.
 *
 * @param isWritten whether the key was written
 * @param content the content of the key after the transaction
 */
public record EtcdSwap(boolean isWritten, KeyRevision content) {}
