package io.ensemble.primary;

/**
 * A term and since when its holder may rely on it.
 *
 * @param sinceNanos when the read that showed it, or the compare-and-set that wrote it, was begun
 */
public record LeasedTerm(Term term, long sinceNanos) {}
