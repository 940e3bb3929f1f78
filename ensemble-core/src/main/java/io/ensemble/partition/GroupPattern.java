package io.ensemble.partition;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.Optional;

/**
 * A regular expression that finds the group of a key, in bounded time for every pattern and key.
 *
 * <p>Its syntax is RE2's ({@code https://github.com/google/re2/wiki/Syntax}): that of {@link
 * java.util.regex.Pattern} without back-references and look-around, which need backtracking. {@code
 * .} matches line ends too; {@code ^} and {@code $} are the ends of the key.
 *
 * <p>A match costs at most the size of the compiled pattern, times its number of groups, times the
 * length of the key. A key that exceeds {@link #MOST_STEPS} is rejected before the match. Steps are
 * computed, not timed, so that all processes agree. Thread-safe.
 */
public final class GroupPattern {

  /** The maximum length of a pattern, in characters. */
  public static final int LONGEST = 256;

  /** The maximum product of a compiled pattern's size, its number of groups, and a key's length. */
  public static final int MOST_STEPS = 1_000_000;

  /**
   * The maximum size of a compiled pattern. The library matches recursively: with 2000 instructions
   * it needs less than 512 KB of stack. So a match does not depend on the stack of a thread.
   */
  static final int LARGEST = 2000;

  /** The maximum number of characters of a pattern whose repetitions are written out. */
  private static final long LARGEST_EXPANSION = 100_000;

  /** The maximum depth of optional repetitions, on which the library recurses to compile them. */
  private static final long DEEPEST = 500;

  private static final Pattern REPETITION = Pattern.compile("\\{(\\d{1,4})(?:,(\\d{0,4}))?\\}");

  private final Pattern pattern;

  private GroupPattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /**
   * Compiles a pattern.
   *
   * @throws IllegalArgumentException if the pattern is too long, becomes too large, or has unknown
   *     syntax; the message names the error
   */
  public static GroupPattern compile(String pattern) {
    if (pattern.length() > LONGEST) {
      throw new IllegalArgumentException(
          "a pattern must have at most %d characters; got %d".formatted(LONGEST, pattern.length()));
    }
    checkRepetitions(pattern);
    Pattern compiled;
    try {
      compiled = Pattern.compile(pattern, Pattern.DOTALL);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "a pattern cannot be used: %s; pattern=%s".formatted(e.getDescription(), pattern), e);
    }
    if (compiled.programSize() > LARGEST) {
      throw tooLarge(pattern);
    }
    return new GroupPattern(compiled);
  }

  private static IllegalArgumentException tooLarge(String pattern) {
    return new IllegalArgumentException(
        "a pattern becomes too large; most=%d instructions pattern=%s".formatted(LARGEST, pattern));
  }

  /**
   * Rejects a pattern that takes much memory or stack to compile. The library bounds a repetition,
   * but not repetitions of repetitions. A repeated group is counted with all that precedes it, so
   * that no parser is needed.
   */
  private static void checkRepetitions(String pattern) {
    long size = 0;
    long depth = 0;
    int end = 0;
    Matcher repetitions = REPETITION.matcher(pattern);
    while (repetitions.find()) {
      int start = repetitions.start();
      size += start - end;
      end = repetitions.end();
      int least = Integer.parseInt(repetitions.group(1));
      String most = repetitions.group(2);
      int optional =
          most == null || most.isEmpty() ? 0 : Math.max(0, Integer.parseInt(most) - least);
      int times = Math.max(1, least + Math.max(1, optional));
      // After an empty quotation, too, a repetition may apply to a repetition.
      if (pattern.startsWith(")", start - 1) || pattern.startsWith("\\E", start - 2)) {
        size *= times;
        depth += optional;
      } else {
        size += times;
        depth = Math.max(depth, optional);
      }
      if (size > LARGEST_EXPANSION) {
        throw tooLarge(pattern);
      }
      if (depth > DEEPEST) {
        throw new IllegalArgumentException(
            "a pattern has too many optional repetitions; most=%d pattern=%s"
                .formatted(DEEPEST, pattern));
      }
    }
  }

  /**
   * The first group in the first match in {@code text}, or the whole match if the pattern has no
   * group. Empty if nothing matches, or if the group is in a branch that does not match.
   *
   * @throws MatchTooCostlyException if the match could take more than {@link #MOST_STEPS} steps
   */
  public Optional<String> group(String text) {
    long stepsPerCharacter = (long) pattern.programSize() * Math.max(1, pattern.groupCount());
    if (stepsPerCharacter * text.length() > MOST_STEPS) {
      throw new MatchTooCostlyException(pattern.pattern(), text.length());
    }
    Matcher matcher = pattern.matcher(text);
    return matcher.find()
        ? Optional.ofNullable(matcher.group(Math.min(1, matcher.groupCount())))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return pattern.pattern();
  }
}
