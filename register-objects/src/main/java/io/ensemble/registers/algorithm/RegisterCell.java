package io.ensemble.registers.algorithm;

/**
 * The content of a register, signed with the round in which it was written (LEADS D2.6, appendix E,
 * section 4.2, Construction 1).
 */
public record RegisterCell(long round, RegisterValue value) {}
