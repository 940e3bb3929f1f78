package io.ensemble.partition;

import java.util.Optional;

/**
 * A regular expression that finds the group of a key, in bounded time for every pattern and key.
 *
 * <p>Its language is a part of {@link java.util.regex.Pattern}'s, with the same meaning:
 * characters, {@code .} (any character, line ends too), classes with ranges and {@code ^}, {@code
 * \d \w \s} and their opposites, {@code ^} and {@code $} (the ends of the key), groups {@code ( )}
 * and {@code (?: )}, {@code |}, {@code * + ? {n} {n,} {n,m}}, also reluctant with {@code ?}. A
 * repeated expression must not match the empty string. All other syntax is rejected when the
 * pattern is compiled.
 *
 * <p>There is no backtracking: all alternatives are followed side by side (Thompson, "Regular
 * expression search algorithm", 1968; the order of preference as in Pike's virtual machine). So a
 * match costs at most the size of the pattern times the length of the key. The cost is limited
 * further by {@link #MOST_STEPS}. Steps are counted, not timed, so that all processes agree.
 * Thread-safe.
 */
public final class GroupPattern {

  /** The maximum length of a pattern, in characters. */
  public static final int LONGEST = 256;

  /** The maximum number of steps of a match. */
  public static final int MOST_STEPS = 100_000;

  private final String pattern;
  private final PatternProgram program;

  private GroupPattern(String pattern, PatternProgram program) {
    this.pattern = pattern;
    this.program = program;
  }

  /**
   * Compiles a pattern.
   *
   * @throws IllegalArgumentException if the pattern is too long, becomes too large, or has unknown
   *     syntax; the message names the position
   */
  public static GroupPattern compile(String pattern) {
    if (pattern.length() > LONGEST) {
      throw new IllegalArgumentException(
          "a pattern must have at most %d characters; got %d".formatted(LONGEST, pattern.length()));
    }
    return new GroupPattern(
        pattern, PatternProgram.of(pattern, new PatternParser(pattern).parse()));
  }

  /**
   * The first group in the first match in {@code text}, or the whole match if the pattern has no
   * group. Empty if nothing matches, or if the group is in a branch that does not match.
   *
   * @throws MatchTooCostlyException if the match takes more than {@link #MOST_STEPS} steps
   */
  public Optional<String> group(String text) {
    return new PatternMatch(program, pattern, text).group();
  }

  @Override
  public String toString() {
    return pattern;
  }
}
