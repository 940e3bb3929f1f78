package io.ensemble.partition;

import java.util.Optional;

/**
 * A regular expression that finds the group of a key, in bounded time whatever pattern and key.
 *
 * <p>Its language is a part of {@link java.util.regex.Pattern}'s, with the same meaning:
 * characters, {@code .} (any character, line ends too), classes with ranges and {@code ^}, {@code
 * \d \w \s} and their opposites, {@code ^} and {@code $} (the ends of the key), groups {@code ( )}
 * and {@code (?: )}, {@code |}, {@code * + ? {n} {n,} {n,m}}, also reluctant with {@code ?}. What
 * is repeated must not be able to be empty. Everything else is refused when the pattern is
 * compiled.
 *
 * <p>There is no backtracking: all ways to go on are followed side by side (Thompson, "Regular
 * expression search algorithm", 1968; the order of preference as in Pike's virtual machine), so
 * that a match costs at most the size of the pattern times the length of the key, and that is
 * bounded once more by {@link #MOST_STEPS}, which are counted, not timed: all processes agree.
 * Thread-safe.
 */
public final class GroupPattern {

  /** The longest pattern, in characters. */
  public static final int LONGEST = 256;

  /** How many steps a match may take. */
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
   * @throws IllegalArgumentException if it is too long, becomes too large, or says something that
   *     is not known here, naming the place
   */
  public static GroupPattern compile(String pattern) {
    if (pattern.length() > LONGEST) {
      throw new IllegalArgumentException(
          "a pattern has at most %d characters; came %d".formatted(LONGEST, pattern.length()));
    }
    return new GroupPattern(
        pattern, PatternProgram.of(pattern, new PatternParser(pattern).parse()));
  }

  /**
   * The first group in the first match in {@code text}, or the whole match if the pattern has no
   * group; empty if nothing matches, or the group is in a branch that does not.
   *
   * @throws MatchTooCostlyException if that takes more than {@link #MOST_STEPS}
   */
  public Optional<String> group(String text) {
    return new PatternMatch(program, pattern, text).group();
  }

  @Override
  public String toString() {
    return pattern;
  }
}
