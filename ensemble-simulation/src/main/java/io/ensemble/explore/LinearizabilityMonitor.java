package io.ensemble.explore;

import io.ensemble.register.RegisterDigest;
import io.ensemble.register.Update.Decision;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the linearizability of a growing history: holds every set of decisions that explains the
 * history so far. A history is linearizable as long as one explanation is left. Immutable.
 */
public final class LinearizabilityMonitor {

  /**
   * One explanation.
   *
   * @param value the present value of the register
   * @param taken the calls that have taken effect and not returned, as bits
   * @param results what each of those calls will return, by call
   */
  private record Explanation(@Nullable Integer value, int taken, List<@Nullable Integer> results) {}

  private final List<ScenarioCall> calls;
  private final int pending;
  private final Set<Explanation> explanations;

  private LinearizabilityMonitor(
      List<ScenarioCall> calls, int pending, Set<Explanation> explanations) {
    this.calls = calls;
    this.pending = pending;
    this.explanations = explanations;
  }

  public static LinearizabilityMonitor of(List<ScenarioCall> calls, @Nullable Integer initial) {
    List<@Nullable Integer> none = Arrays.asList(new Integer[calls.size()]);
    return new LinearizabilityMonitor(calls, 0, Set.of(new Explanation(initial, 0, none)));
  }

  public LinearizabilityMonitor called(int call) {
    return new LinearizabilityMonitor(calls, pending | 1 << call, explanations);
  }

  /** The call returned {@code result}. */
  public LinearizabilityMonitor returned(int call, @Nullable Integer result) {
    Set<Explanation> left = new HashSet<>();
    for (Explanation one : closure()) {
      boolean taken = (one.taken >> call & 1) == 1;
      if (taken && Objects.equals(one.results.get(call), result)) {
        left.add(with(one, one.value, one.taken & ~(1 << call), call, null));
      }
    }
    return new LinearizabilityMonitor(calls, pending & ~(1 << call), left);
  }

  /** The call ended without an effect, now or later. */
  public LinearizabilityMonitor refused(int call) {
    Set<Explanation> left = new HashSet<>();
    for (Explanation one : explanations) {
      if ((one.taken >> call & 1) == 0) {
        left.add(one);
      }
    }
    return new LinearizabilityMonitor(calls, pending & ~(1 << call), left);
  }

  /**
   * From now on the value may also be one of {@code values}, because the writes since then may be
   * lost.
   */
  public LinearizabilityMonitor mayReturnTo(Set<@Nullable Integer> values) {
    Set<Explanation> more = new HashSet<>();
    int writes = 0;
    for (int call = 0; call < calls.size(); call++) {
      writes |= calls.get(call).kind() == 'g' ? 0 : 1 << call;
    }
    for (Explanation one : closure()) {
      more.add(one);
      for (Integer value : values) {
        more.add(new Explanation(value, one.taken & ~writes, one.results));
      }
    }
    return new LinearizabilityMonitor(calls, pending, more);
  }

  /** The possible present values. */
  public Set<@Nullable Integer> values() {
    Set<@Nullable Integer> values = new HashSet<>();
    closure().forEach(one -> values.add(one.value));
    return values;
  }

  /**
   * The call {@code call} is withdrawn: an effect that it has had counts, and without one it never
   * takes effect.
   */
  public LinearizabilityMonitor withdrawn(int call) {
    Set<Explanation> left = new HashSet<>();
    for (Explanation one : closure()) {
      left.add(with(one, one.value, one.taken & ~(1 << call), call, null));
    }
    return new LinearizabilityMonitor(calls, pending & ~(1 << call), left);
  }

  public boolean isExplained() {
    return !explanations.isEmpty();
  }

  private Set<Explanation> closure() {
    Set<Explanation> reached = new HashSet<>(explanations);
    Set<Explanation> frontier = explanations;
    while (!frontier.isEmpty()) {
      Set<Explanation> next = new HashSet<>();
      for (Explanation one : frontier) {
        for (int call = 0; call < calls.size(); call++) {
          if ((pending >> call & 1) == 1 && (one.taken >> call & 1) == 0) {
            Explanation after = linearize(one, call);
            if (reached.add(after)) {
              next.add(after);
            }
          }
        }
      }
      frontier = next;
    }
    return reached;
  }

  private Explanation linearize(Explanation one, int call) {
    Decision<Integer, Integer> decision = calls.get(call).decide(one.value);
    Integer value = decision.writes() ? decision.value() : one.value;
    return with(one, value, one.taken | 1 << call, call, decision.result());
  }

  private static Explanation with(
      Explanation one, @Nullable Integer value, int taken, int call, @Nullable Integer result) {
    Integer[] results = one.results.toArray(new Integer[0]);
    results[call] = result;
    return new Explanation(value, taken, Arrays.asList(results));
  }

  public long digest() {
    long hash = 0;
    for (Explanation one : explanations) {
      hash += RegisterDigest.mix(one.hashCode());
    }
    return hash * 31 + pending;
  }
}
