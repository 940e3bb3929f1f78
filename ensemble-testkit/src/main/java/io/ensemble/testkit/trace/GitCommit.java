package io.ensemble.testkit.trace;

/**
 * A commit of a trace.
 *
 * @param version its time in milliseconds since 1970, or one more than the version before
 */
public record GitCommit(String id, long version) {}
