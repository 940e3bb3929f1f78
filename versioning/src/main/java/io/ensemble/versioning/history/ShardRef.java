package io.ensemble.versioning.history;

/** A shard that is to be looked into. */
public record ShardRef(long number, int count) {}
