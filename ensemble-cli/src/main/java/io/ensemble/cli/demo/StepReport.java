package io.ensemble.cli.demo;

/**
 * A step of the demonstration.
 *
 * @param step its name
 * @param ok whether it succeeded
 * @param seconds its duration
 * @param detail its findings
 */
public record StepReport(String step, boolean ok, double seconds, String detail) {}
