package io.ensemble.check.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Completes and checks a history of locks: leases expire, and tokens grow. */
public final class LeaseExpiries {

  private LeaseExpiries() {}

  /** Identifies an owner. */
  private record LockOwner(String lock, JsonNode token) {}

  /**
   * The releases that no client has called. If a client may have acquired a lock, and is not known
   * to have released it, its lease has ended at some time, or will.
   */
  public static List<HistoryOperation> withExpiries(List<HistoryOperation> history) {
    long client = history.stream().mapToLong(HistoryOperation::client).max().orElse(0) + 1;
    Set<LockOwner> released = new HashSet<>();
    for (HistoryOperation one : history) {
      if (isRelease(one) && isTrue(one)) {
        released.add(new LockOwner(one.key(), one.in().get(0)));
      }
    }
    List<HistoryOperation> ended = new ArrayList<>();
    for (HistoryOperation one : history) {
      if (isAcquisition(one)
          && (isTrue(one) || one.outcome() == HistoryOutcome.UNKNOWN)
          && !released.contains(new LockOwner(one.key(), one.in().get(1)))) {
        ended.add(end(one, client + ended.size()));
      }
    }
    return ended;
  }

  private static HistoryOperation end(HistoryOperation acquisition, long client) {
    JsonNode in =
        JsonNodeFactory.instance.arrayNode().add(acquisition.in().get(1)).add(NullNode.instance);
    return new HistoryOperation(
        client,
        acquisition.key(),
        "cas",
        null,
        in,
        NullNode.instance,
        acquisition.callNanos(),
        null,
        HistoryOutcome.UNKNOWN);
  }

  /**
   * The violations of the rule for tokens: a later owner of a lock has a larger token, and no two
   * owners have the same.
   */
  public static List<String> findTokenViolations(List<HistoryOperation> history) {
    Map<String, List<HistoryOperation>> grants = new HashMap<>();
    for (HistoryOperation one : history) {
      if (isAcquisition(one) && isTrue(one)) {
        grants.computeIfAbsent(one.key(), lock -> new ArrayList<>()).add(one);
      }
    }
    List<String> wrong = new ArrayList<>();
    grants.forEach(
        (lock, all) -> {
          String first = firstWrong(all);
          if (first != null) {
            wrong.add(lock + ": " + first);
          }
          findDuplicateToken(all).ifPresent(token -> wrong.add(lock + ": two got token " + token));
        });
    return wrong;
  }

  private static Optional<Long> findDuplicateToken(List<HistoryOperation> grants) {
    Set<Long> tokens = new HashSet<>();
    return grants.stream()
        .map(LeaseExpiries::token)
        .filter(token -> !tokens.add(token))
        .findFirst();
  }

  private static @Nullable String firstWrong(List<HistoryOperation> grants) {
    List<HistoryOperation> byCall =
        grants.stream().sorted(Comparator.comparingLong(HistoryOperation::callNanos)).toList();
    List<HistoryOperation> byReturn =
        grants.stream().sorted(Comparator.comparingLong(LeaseExpiries::returned)).toList();
    long largest = Long.MIN_VALUE;
    int before = 0;
    for (HistoryOperation later : byCall) {
      while (before < byReturn.size() && returned(byReturn.get(before)) < later.callNanos()) {
        largest = Math.max(largest, token(byReturn.get(before)));
        before++;
      }
      if (token(later) <= largest) {
        return "client %d got token %d after another had got %d"
            .formatted(later.client(), token(later), largest);
      }
    }
    return null;
  }

  private static long token(HistoryOperation acquisition) {
    return acquisition.in().get(1).asLong();
  }

  private static long returned(HistoryOperation one) {
    Long at = one.returnNanos();
    return at == null ? Long.MAX_VALUE : at;
  }

  private static boolean isAcquisition(HistoryOperation one) {
    return one.op().equals("cas") && one.in().get(0).isNull();
  }

  private static boolean isRelease(HistoryOperation one) {
    return one.op().equals("cas") && one.in().get(1).isNull();
  }

  private static boolean isTrue(HistoryOperation one) {
    return one.outcome() == HistoryOutcome.OK && one.out().asBoolean();
  }
}
