package io.ensemble.testkit.trace;

/**
 * The description of a trace, in its first line.
 *
 * @param source {@code git}, {@code synthetic} or {@code wikibench}
 * @param origin the origin in words: a repository and its commit, a log, or the settings
 */
public record TraceHeader(String source, String origin) {

  /** The format of the file; it changes when the meaning of its lines does. */
  static final int FORMAT = 1;
}
