package io.ensemble.check.znodes;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Checks that a client's changes take effect in the order in which it sent them. Of two changes
 * sent together, a client that has seen the second and reads afterwards sees the first, or a later
 * one.
 */
public final class FifoOrderCheck {

  private FifoOrderCheck() {}

  /** The first violation, in words. */
  public static Optional<String> violation(
      List<HistoryOperation> history, ZnodeLayout.NodePair two) {
    Map<JsonNode, Long> versions = versions(history, two.first().path());
    List<HistoryOperation> seen =
        reads(history, two.second().path(), Comparator.comparingLong(FifoOrderCheck::ended));
    List<HistoryOperation> looks =
        reads(history, two.first().path(), Comparator.comparingLong(HistoryOperation::callNanos));
    int next = 0;
    long least = -1;
    HistoryOperation because = null;
    for (HistoryOperation look : looks) {
      while (next < seen.size() && ended(seen.get(next)) < look.callNanos()) {
        HistoryOperation one = seen.get(next++);
        long version = versions.getOrDefault(one.out().get(1), -1L);
        if (version > least) {
          least = version;
          because = one;
        }
      }
      if (because != null && look.out().get(0).longValue() < least) {
        return Optional.of(
            "%s was sent before %s, and took effect after it: client %d saw %s of the second by %d, client %d called later, at %d, and saw %s of the first, which had been given version %d"
                .formatted(
                    two.first().path(),
                    two.second().path(),
                    because.client(),
                    because.out(),
                    ended(because),
                    look.client(),
                    look.callNanos(),
                    look.out(),
                    least));
      }
    }
    return Optional.empty();
  }

  private static long ended(HistoryOperation completed) {
    return Objects.requireNonNull(completed.returnNanos(), "when it returned");
  }

  /** The version of each value. */
  private static Map<JsonNode, Long> versions(List<HistoryOperation> history, String path) {
    Map<JsonNode, Long> versions = new HashMap<>();
    for (HistoryOperation one : history) {
      if (one.key().equals(path)
          && one.op().equals("set_data")
          && one.outcome() == HistoryOutcome.OK
          && one.out().isIntegralNumber()) {
        versions.put(one.in().get(0), one.out().longValue());
      }
    }
    return versions;
  }

  private static List<HistoryOperation> reads(
      List<HistoryOperation> history, String path, Comparator<HistoryOperation> by) {
    return history.stream()
        .filter(one -> one.key().equals(path) && one.op().equals("get_data"))
        .filter(one -> one.outcome() == HistoryOutcome.OK && one.out().isArray())
        .sorted(by)
        .toList();
  }
}
