package io.ensemble.cli.demo;

/**
 * A step of the demonstration.
 *
 * @param step what was done
 * @param ok whether all was as it must be
 * @param seconds how long it took
 * @param detail what was found
 */
public record StepReport(String step, boolean ok, double seconds, String detail) {}
