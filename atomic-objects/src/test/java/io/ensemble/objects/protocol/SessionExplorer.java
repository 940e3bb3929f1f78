package io.ensemble.objects.protocol;

import io.ensemble.objects.protocol.SessionWorld.Bug;
import io.ensemble.objects.protocol.SessionWorld.Scenario;
import io.ensemble.objects.protocol.SessionWorld.Violation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Explores all executions of a scenario, or many random ones. */
final class SessionExplorer {

  /**
   * @param violation the violation, with the steps to it
   * @param states how many different states were reached
   * @param complete whether these are all states
   * @param unended in how many random walks calls had not ended after the last step
   */
  record Report(Optional<String> violation, long states, boolean complete, int unended) {}

  private SessionExplorer() {}

  /**
   * Searches depth first and visits each state once. The last of a state's steps is taken in the
   * same world; the states after its other steps are reached by repeating the steps from the
   * beginning.
   */
  static Report all(Scenario scenario, Bug bug, long bound) {
    Set<Long> seen = new HashSet<>();
    Deque<List<String>> open = new ArrayDeque<>();
    open.push(List.of());
    while (!open.isEmpty()) {
      List<String> path = open.pop();
      SessionWorld world = new SessionWorld(scenario, bug);
      try {
        for (String step : path) {
          world.take(step);
        }
        world.check();
        while (seen.add(hash(world.digest()))) {
          if (seen.size() >= bound) {
            return new Report(Optional.empty(), seen.size(), false, 0);
          }
          List<String> steps = world.steps();
          if (steps.isEmpty()) {
            break;
          }
          String last = steps.remove(steps.size() - 1);
          for (String step : steps) {
            open.push(longer(path, step));
          }
          path = longer(path, last);
          world.take(last);
          world.check();
        }
      } catch (Violation | AssertionError e) {
        return new Report(Optional.of(e.getMessage() + " by " + path), seen.size(), false, 0);
      }
    }
    return new Report(Optional.empty(), seen.size(), true, 0);
  }

  private static List<String> longer(List<String> path, String step) {
    List<String> longer = new ArrayList<>(path.size() + 1);
    longer.addAll(path);
    longer.add(step);
    return longer;
  }

  /** Random walks, one for each seed from 1 to {@code seeds}. */
  static Report walks(Scenario scenario, Bug bug, int seeds, int steps) {
    return walks(scenario, bug, 1, seeds, steps);
  }

  /** Random walks, one for each seed from {@code first} to {@code seeds}. */
  static Report walks(Scenario scenario, Bug bug, int first, int seeds, int steps) {
    int unended = 0;
    for (int seed = first; seed <= seeds; seed++) {
      Random random = new Random(seed);
      SessionWorld world = new SessionWorld(scenario, bug);
      List<String> path = new ArrayList<>();
      try {
        for (int i = 0; i < steps && !world.ended(); i++) {
          List<String> possible = world.steps();
          if (possible.isEmpty()) {
            throw new Violation("nothing can happen, and calls have not ended");
          }
          path.add(possible.get(random.nextInt(possible.size())));
          world.take(path.get(path.size() - 1));
          world.check();
        }
      } catch (Violation | AssertionError e) {
        return new Report(
            Optional.of("seed " + seed + ": " + e.getMessage() + " by " + path), seed, false, 0);
      }
      unended += world.ended() ? 0 : 1;
    }
    return new Report(Optional.empty(), seeds, false, unended);
  }

  private static long hash(String digest) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return ByteBuffer.wrap(sha.digest(digest.getBytes(StandardCharsets.UTF_8))).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }
}
