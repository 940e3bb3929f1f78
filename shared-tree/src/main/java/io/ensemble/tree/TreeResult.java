package io.ensemble.tree;

/**
 * The result of a transaction.
 *
 * @param value what its body returned
 * @param base the commit after which it read the tree
 * @param commit its own number; the base if it changed nothing
 */
public record TreeResult<T>(T value, long base, long commit) {}
