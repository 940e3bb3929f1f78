package io.ensemble.check.znodes;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the final sequential names: acknowledged ones are there with their values, and otherwise
 * only ones of unknown outcome, each once.
 */
public final class SequentialNodeCheck {
  static final String CREATE = "create_sequential";
  static final String NAMES = "names";

  private static final int DIGITS = 10;

  private SequentialNodeCheck() {}

  /** The number in a name. */
  static long number(String name) {
    return Long.parseLong(name.substring(name.length() - DIGITS));
  }

  /** The violations, in words. */
  public static List<String> problems(List<HistoryOperation> history) {
    List<String> problems = new ArrayList<>();
    for (HistoryOperation look : history) {
      if (look.op().equals(NAMES) && look.outcome() == HistoryOutcome.OK) {
        problems.addAll(problems(look, history));
      }
    }
    return problems;
  }

  private static List<String> problems(HistoryOperation look, List<HistoryOperation> history) {
    Map<Long, Long> found = new HashMap<>();
    for (JsonNode one : look.out()) {
      found.put(one.get(0).longValue(), one.get(1).longValue());
    }
    List<String> problems = new ArrayList<>();
    Set<Long> unknown = new HashSet<>();
    for (HistoryOperation create : history) {
      if (!create.key().equals(look.key()) || !create.op().equals(CREATE)) {
        continue;
      }
      if (create.outcome() == HistoryOutcome.OK) {
        Long value = found.remove(create.out().longValue());
        if (value == null || value != create.in().longValue()) {
          problems.add(
              "%s: the name %d was acknowledged with %s; in the end it has %s"
                  .formatted(look.key(), create.out().longValue(), create.in(), value));
        }
      } else if (create.outcome() == HistoryOutcome.UNKNOWN) {
        unknown.add(create.in().longValue());
      }
    }
    found.forEach(
        (number, value) -> {
          if (!unknown.remove(value)) {
            problems.add(
                "%s: the name %d has %d, which was not created then, or twice"
                    .formatted(look.key(), number, value));
          }
        });
    return problems;
  }
}
