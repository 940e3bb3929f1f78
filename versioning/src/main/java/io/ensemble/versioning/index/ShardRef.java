package io.ensemble.versioning.index;

/** A shard that is to be read. */
public record ShardRef(long number, int count) {}
