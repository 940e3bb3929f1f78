package io.ensemble.deploy.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.Operation;
import io.ensemble.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a history of locks does not tell by itself: that leases run out, and tokens grow. */
final class Leases {

  private Leases() {}

  /** Names an owner. */
  private record Owner(String lock, JsonNode token) {}

  /**
   * The releases that nobody has called: of whoever may have got a lock, and is not known to have
   * given it back, the lease has ended at some time, or will.
   */
  static List<Operation> ended(List<Operation> history) {
    long client = history.stream().mapToLong(Operation::client).max().orElse(0) + 1;
    Set<Owner> released = new HashSet<>();
    for (Operation one : history) {
      if (isRelease(one) && isTrue(one)) {
        released.add(new Owner(one.key(), one.in().get(0)));
      }
    }
    List<Operation> ended = new ArrayList<>();
    for (Operation one : history) {
      if (isAcquisition(one)
          && (isTrue(one) || one.outcome() == Outcome.UNKNOWN)
          && !released.contains(new Owner(one.key(), one.in().get(1)))) {
        ended.add(end(one, client + ended.size()));
      }
    }
    return ended;
  }

  private static Operation end(Operation acquisition, long client) {
    JsonNode in =
        JsonNodeFactory.instance.arrayNode().add(acquisition.in().get(1)).add(NullNode.instance);
    return new Operation(
        client,
        acquisition.key(),
        "cas",
        null,
        in,
        NullNode.instance,
        acquisition.callNanos(),
        null,
        Outcome.UNKNOWN);
  }

  /**
   * Who got a lock after another had got it, has a larger token, and no two have the same; what
   * contradicts that.
   */
  static List<String> wrongTokens(List<Operation> history) {
    Map<String, List<Operation>> grants = new HashMap<>();
    for (Operation one : history) {
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
          twice(all).ifPresent(token -> wrong.add(lock + ": two got token " + token));
        });
    return wrong;
  }

  private static Optional<Long> twice(List<Operation> grants) {
    Set<Long> tokens = new HashSet<>();
    return grants.stream().map(Leases::token).filter(token -> !tokens.add(token)).findFirst();
  }

  private static @Nullable String firstWrong(List<Operation> grants) {
    List<Operation> byCall =
        grants.stream().sorted(Comparator.comparingLong(Operation::callNanos)).toList();
    List<Operation> byReturn =
        grants.stream().sorted(Comparator.comparingLong(Leases::returned)).toList();
    long largest = Long.MIN_VALUE;
    int before = 0;
    for (Operation later : byCall) {
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

  private static long token(Operation acquisition) {
    return acquisition.in().get(1).asLong();
  }

  private static long returned(Operation one) {
    Long at = one.returnNanos();
    return at == null ? Long.MAX_VALUE : at;
  }

  private static boolean isAcquisition(Operation one) {
    return one.op().equals("cas") && one.in().get(0).isNull();
  }

  private static boolean isRelease(Operation one) {
    return one.op().equals("cas") && one.in().get(1).isNull();
  }

  private static boolean isTrue(Operation one) {
    return one.outcome() == Outcome.OK && one.out().asBoolean();
  }
}
