package io.ensemble.primary;

/**
 * A term, and the time since when its holder may rely on it.
 *
 * @param sinceNanos when the read that showed the term, or the compare-and-set that wrote it, began
 */
public record LeasedTerm(Term term, long sinceNanos) {}
