package io.ensemble.testkit.trace;

/**
 * What a trace says of itself, in its first line.
 *
 * @param source {@code git} or {@code synthetic}
 * @param origin what it was made from, for people: a repository and its commit, or the settings
 */
public record TraceHeader(String source, String origin) {

  /** The format of the file: it changes with what its lines mean. */
  static final int FORMAT = 1;
}
