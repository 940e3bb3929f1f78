package io.ensemble.versioning.history;

/** A shard that is to be looked into. */
public record Ref(long number, int count) {}
