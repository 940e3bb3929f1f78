package io.ensemble.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GroupPatternTest {

  private static Optional<String> group(String pattern, String text) {
    return GroupPattern.compile(pattern).group(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "^user:(\\d+)~        user:17:name~ 17",
        "\\{(.+?)\\}~         a{b}{c}~      b",
        "\\{(.+)\\}~          a{b}{c}~      b}{c",
        "[a-c]+~              xxabcaxx~     abca",
        "(?:x|y)(a|ab)(c|$)~  yabc~         ab",
        "([^:/]+)$~           a:b/c~        c",
        "(é.)~                aé😀b~        é😀",
        "(\\D\\W\\S)~         1a.b~         a.b",
        "a{2,3}~              aaaa~         aaa",
        "a{2,3}?~             aaaa~         aa",
        "(a|b)+~              abab~         b",
        "[\\]\\-x-z-]+~       ab]-y~        ]-y",
      })
  void itFindsTheFirstGroupOfTheFirstMatch(String pattern, String text, String wanted) {
    assertThat(group(pattern, text)).contains(wanted);
  }

  @Test
  void whatDoesNotMatchHasNoGroup() {
    assertThat(group("^a(b)$", "xab")).isEmpty();
    assertThat(group("(a)|b", "b")).isEmpty();
    assertThat(group("a", "")).isEmpty();
    assertThat(group("", "abc")).contains("");
    assertThat(group("^$", "")).contains("");
  }

  /** Random patterns and texts, compared with the engine of the JDK. */
  @Test
  void itFindsWhatTheJdkFinds() {
    Random random = new Random(11);
    int matched = 0;
    for (int i = 0; i < 20_000; i++) {
      String pattern = choice(random, 3);
      String text = text(random);
      Matcher jdk = Pattern.compile(pattern.replace("$", "\\z"), Pattern.DOTALL).matcher(text);
      Optional<String> wanted = Optional.empty();
      if (jdk.find()) {
        matched++;
        wanted = Optional.ofNullable(jdk.groupCount() > 0 ? jdk.group(1) : jdk.group());
      }

      assertThat(group(pattern, text)).as("%s on %s", pattern, text).isEqualTo(wanted);
    }
    assertThat(matched).isBetween(5_000, 18_000);
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(9); i > 0; i--) {
      text.appendCodePoint(
          "abc\n😀".codePointAt(random.nextInt(5) % 4 == 3 ? 4 : random.nextInt(4)));
    }
    return text.toString();
  }

  private static String choice(Random random, int depth) {
    String first = sequence(random, depth);
    return random.nextInt(4) == 0 ? first + "|" + sequence(random, depth) : first;
  }

  private static String sequence(Random random, int depth) {
    StringBuilder text = new StringBuilder(random.nextInt(12) == 0 ? "^" : "");
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      text.append(item(random, depth));
    }
    return text.append(random.nextInt(12) == 0 ? "$" : "").toString();
  }

  private static String item(Random random, int depth) {
    String atom =
        switch (random.nextInt(depth > 0 ? 7 : 5)) {
          case 0 -> "a";
          case 1 -> "b";
          case 2 -> ".";
          case 3 -> "[^a]";
          case 4 -> "[b-c]";
          case 5 -> "(" + filled(random, depth - 1) + ")";
          default -> "(?:" + filled(random, depth - 1) + ")";
        };
    String[] times = {"", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{1,}?"};
    return atom + times[random.nextInt(times.length)];
  }

  /** A pattern that may be repeated, as it begins with a character. */
  private static String filled(Random random, int depth) {
    String first = "abc".charAt(random.nextInt(3)) + item(random, depth);
    return random.nextInt(3) == 0 ? first + "|b" + item(random, depth) : first;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(",
        ")",
        "a)",
        "[",
        "[]",
        "[a",
        "[^]",
        "*",
        "+a",
        "a{3,2}",
        "a{1001}",
        "a{99999999999}",
        "a**",
        "a*+",
        "a++",
        "a{2}{2}",
        "(?=a)",
        "(?<=a)b",
        "(?>a)",
        "(?<n>a)\\k<n>",
        "\\",
        "\\1",
        "\\Z",
        "[z-a]",
        "[a-\\d]",
      })
  void unknownSyntaxIsRefused(String pattern) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPattern.compile(pattern))
        .withMessageContaining("pattern=" + pattern);
  }

  @Test
  void aPatternIsBoundedInLengthAndSize() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPattern.compile("a".repeat(257)))
        .withMessageContaining("at most 256");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPattern.compile("(?:(?:(?:x{1000}){1000}){1000}){1000}"))
        .withMessageContaining("too large");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPattern.compile("(?:[a-z]{100}x{100,}){10}"))
        .withMessageContaining("too large");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPattern.compile("x{1000}\\Q\\E{1000}\\Q\\E{1000}\\Q\\E{1000}"))
        .withMessageContaining("too large");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPattern.compile("(?:x{0,300}){0,300}"))
        .withMessageContaining("optional repetitions; most=500");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GroupPattern.compile("(".repeat(250)))
        .withMessageContaining("missing closing");
  }

  @Test
  void severalRepetitionsInOrderAddUp() {
    String uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    String key = "0b6f4f3e-6f0c-4a7e-8f3e-1d2c3b4a5f60";

    assertThat(group("^" + uuid + "/(" + uuid + ")", "ffffffff" + key.substring(8) + "/" + key))
        .contains(key);
    assertThat(group("^(\\w{1,255})/\\w{1,255}/\\w{1,255}$", "a/b/c")).contains("a");
    assertThat(group("^(?:\\d{1,3}\\.){3}(\\d{1,3})$", "192.168.10.17")).contains("17");
  }

  /** The library recurses for each optional repetition and instruction that reads no character. */
  @ParameterizedTest
  @ValueSource(
      strings = {"x{0,500}", "(?:()){665}", "(?:\\b){999}", "(?:(|x)*){285}", "(?:x?){0,500}"})
  void theLargestPatternsNeedLittleStack(String pattern) throws InterruptedException {
    AtomicReference<Object> outcome = new AtomicReference<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                outcome.set(GroupPattern.compile(pattern).group("x".repeat(100)));
              } catch (Throwable e) {
                outcome.set(e);
              }
            },
            "small stack",
            512 * 1024);
    thread.start();
    thread.join();

    assertThat(outcome.get()).isInstanceOf(Optional.class);
  }

  /** Each match copies the places of all groups. */
  @Test
  void groupsCountAsSteps() {
    GroupPattern many = GroupPattern.compile("(".repeat(80) + "a" + ")*".repeat(80));

    assertThat(many.group("a".repeat(10))).isPresent();
    assertThatExceptionOfType(MatchTooCostlyException.class)
        .isThrownBy(() -> many.group("a".repeat(100)));
  }

  /** On such a key, each of these costs other engines excessive time or stack. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "^(a+)+$",
        "^(a|a)*$",
        "(.*)(.*)(.*)(.*)(.*)x$",
        "^(?:a|b)*$",
        "(?:a{0,30}){30}b",
        "((a{0,9}){0,9}){0,9}b",
        "(a*)*(a*)*b",
        "^(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)(?:|)x$",
      })
  void aHostilePatternEndsOnEveryKey(String pattern) {
    GroupPattern compiled = GroupPattern.compile(pattern);
    for (int length : new int[] {0, 10, 1_000, 1_000_000}) {
      String key = "a".repeat(length) + "!";
      try {
        compiled.group(key);
      } catch (MatchTooCostlyException tooCostly) {
        assertThat(length).isGreaterThan(10);
        assertThat(tooCostly).hasMessageContaining("key's length=" + (length + 1));
      }
    }
  }

  @Test
  void theBoundIsTheSameForEverybody() {
    GroupPattern pattern = GroupPattern.compile("(x)$");
    int longest = 0;
    for (int low = 0, high = GroupPattern.MOST_STEPS; low < high; ) {
      int middle = (low + high + 1) / 2;
      if (isFound(pattern, middle)) {
        low = middle;
      } else {
        high = middle - 1;
      }
      longest = low;
    }

    assertThat(longest).isEqualTo(GroupPattern.MOST_STEPS / 6); // The pattern has six instructions.
  }

  private static boolean isFound(GroupPattern pattern, int length) {
    try {
      return pattern.group("a".repeat(length - 1) + "x").isPresent();
    } catch (MatchTooCostlyException e) {
      return false;
    }
  }

  @Test
  void ordinaryKeysAreFarFromTheBound() {
    GroupPattern pattern = GroupPattern.compile("^tenant/([^/]+)/(?:user|order)/");
    String tenant = "t".repeat(10_000);

    assertThat(pattern.group("tenant/" + tenant + "/user/1")).contains(tenant);
    assertThatExceptionOfType(MatchTooCostlyException.class)
        .isThrownBy(() -> pattern.group("tenant/" + tenant.repeat(10) + "/user/1"));
  }
}
