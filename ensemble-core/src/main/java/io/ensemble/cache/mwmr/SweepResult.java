package io.ensemble.cache.mwmr;

/**
 * What one sweep came to.
 *
 * @param ended how many expired values were replaced by tombstones
 * @param forgotten how many tombstones went at every site
 */
public record SweepResult(int ended, int forgotten) {}
