package io.ensemble.cache.mwmr;

/**
 * The result of one sweep.
 *
 * @param ended how many expired values were replaced by tombstones
 * @param forgotten how many tombstones were removed at every site
 */
public record SweepResult(int ended, int forgotten) {}
