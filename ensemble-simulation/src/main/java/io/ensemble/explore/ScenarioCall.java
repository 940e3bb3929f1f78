package io.ensemble.explore;

import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a scenario on a register of small integers. Results are integers as well, 1 for
 * true.
 *
 * <p>The text form is a letter and digits, where 0 means absent: {@code g} get, {@code p1} put 1,
 * {@code s1} swap in 1, {@code a1} put 1 if absent, {@code c12} compare with 1 and set 2, {@code r}
 * remove.
 */
public record ScenarioCall(char kind, int first, int second) implements Update<Integer, Integer> {

  public static ScenarioCall parse(String text) {
    char kind = text.charAt(0);
    int digits = "ps a".indexOf(kind) >= 0 ? 1 : kind == 'c' ? 2 : 0;
    if ("gpsacr".indexOf(kind) < 0 || text.length() != 1 + digits) {
      throw new IllegalArgumentException("an operation is g, r, pN, sN, aN or cNM; got " + text);
    }
    return new ScenarioCall(
        kind, digits > 0 ? text.charAt(1) - '0' : 0, digits > 1 ? text.charAt(2) - '0' : 0);
  }

  /**
   * Parses the operations of each client: commas separate the operations of one client, semicolons
   * separate clients.
   */
  public static List<List<ScenarioCall>> script(String text) {
    return Arrays.stream(text.split(";"))
        .map(client -> Arrays.stream(client.split(",")).map(ScenarioCall::parse).toList())
        .toList();
  }

  @Override
  public Decision<Integer, Integer> decide(@Nullable Integer current) {
    return switch (kind) {
      case 'g' -> Decision.keep(current);
      case 'p' -> Decision.write(value(first), null);
      case 'r' -> Decision.write(null, null);
      case 's' -> Decision.write(value(first), current);
      case 'a' -> current == null ? Decision.write(value(first), 1) : Decision.keep(0);
      case 'c' ->
          Objects.equals(current, value(first))
              ? Decision.write(value(second), 1)
              : Decision.keep(0);
      default -> throw new AssertionError("a parsed operation; kind=" + kind);
    };
  }

  public static @Nullable Integer value(int digit) {
    return digit == 0 ? null : digit;
  }

  @Override
  public String toString() {
    return switch (kind) {
      case 'g', 'r' -> String.valueOf(kind);
      case 'c' -> "c" + first + second;
      default -> kind + "" + first;
    };
  }
}
