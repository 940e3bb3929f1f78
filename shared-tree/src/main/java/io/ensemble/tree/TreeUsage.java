package io.ensemble.tree;

/**
 * What an owner's nodes take.
 *
 * @param nodes their number
 * @param bytes the bytes of their values, and of the names of users whom their permissions list
 * @param maxNodes the quota of nodes
 * @param maxBytes the quota of bytes
 */
public record TreeUsage(long nodes, long bytes, long maxNodes, long maxBytes) {}
