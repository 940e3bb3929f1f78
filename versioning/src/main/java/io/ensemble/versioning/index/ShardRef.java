package io.ensemble.versioning.index;

/** A shard that is to be looked into. */
public record ShardRef(long number, int count) {}
