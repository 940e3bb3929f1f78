package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The state of a barrier: the arrivals of this generation, and the results of earlier ones. */
public class BarrierState implements DeclaredSize {

  /** The maximum number of parties, so that the object stays small. */
  public static final int MOST = 1_000;

  /** The status of one arrival. */
  public enum Fate {
    WAITS,
    PASSED,
    BROKEN,
    UNKNOWN
  }

  /**
   * One arrival.
   *
   * @param index the number of parties that were still missing on arrival; zero for the last
   */
  public record Arrival(Fate fate, int index) {}

  private int parties;
  private boolean broken;
  private Map<UUID, Integer> arrived = new LinkedHashMap<>();
  private Map<UUID, Arrival> past = new LinkedHashMap<>();

  public BarrierState() {
    this(1);
  }

  public BarrierState(int parties) {
    this.parties = parties;
  }

  @Override
  @ReadOnly
  public int declared() {
    return parties;
  }

  @ReadOnly
  public boolean isBroken() {
    return broken;
  }

  @ReadOnly
  public int waiting() {
    return arrived.size();
  }

  @ReadOnly
  public Arrival look(UUID request) {
    Integer index = arrived.get(request);
    return index != null
        ? new Arrival(Fate.WAITS, index)
        : past.getOrDefault(request, new Arrival(Fate.UNKNOWN, -1));
  }

  /** Arrives; a repetition with the same id returns the status of the arrival. */
  public Arrival arrive(UUID request) {
    Arrival before = look(request);
    if (before.fate != Fate.UNKNOWN) {
      return before;
    }
    if (broken) {
      return new Arrival(Fate.BROKEN, -1);
    }
    arrived.put(request, parties - 1 - arrived.size());
    if (arrived.size() == parties) {
      end(Fate.PASSED);
    }
    return look(request);
  }

  /** Leaves without having passed, which breaks the barrier for all waiting parties. */
  public Arrival leave(UUID request) {
    if (arrived.containsKey(request)) {
      broken = true;
      end(Fate.BROKEN);
    }
    return look(request);
  }

  /** Starts a new generation; the waiting parties find the barrier broken. */
  public void reset() {
    end(Fate.BROKEN);
    broken = false;
  }

  /**
   * Ends a generation. Its parties read their result soon: no party is in the next generation
   * before it has. So a result can be removed early only if a barrier is used by many more than its
   * parties.
   */
  private void end(Fate fate) {
    arrived.forEach((request, index) -> past.put(request, new Arrival(fate, index)));
    arrived.clear();
    List<UUID> oldest = new ArrayList<>(past.keySet());
    oldest.subList(Math.max(0, oldest.size() - Math.max(64, 2 * parties)), oldest.size()).clear();
    oldest.forEach(past::remove);
  }
}
