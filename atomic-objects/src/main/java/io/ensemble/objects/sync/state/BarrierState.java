package io.ensemble.objects.sync.state;

import io.ensemble.objects.ReadOnly;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What a barrier is: who has arrived in this generation, and how the last ones ended. */
public class BarrierState implements DeclaredSize {

  /** The most of them, so that the object stays small. */
  public static final int MOST = 1_000;

  /** How one arrival stands. */
  public enum Fate {
    WAITS,
    PASSED,
    BROKEN,
    UNKNOWN
  }

  /**
   * One arrival.
   *
   * @param index how many were still missing when it came; zero for the last
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

  /** Arrives; asked again by the same name, tells how that went. */
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

  /** Goes without having passed, which breaks the barrier for all who wait. */
  public Arrival leave(UUID request) {
    if (arrived.containsKey(request)) {
      broken = true;
      end(Fate.BROKEN);
    }
    return look(request);
  }

  /** Begins anew; who waits now waits in vain. */
  public void reset() {
    end(Fate.BROKEN);
    broken = false;
  }

  /**
   * The end of a generation. Its parties look for it soon: none of them is in the next generation
   * before it has, so that only a barrier used by many more than its parties forgets any of them.
   */
  private void end(Fate fate) {
    arrived.forEach((request, index) -> past.put(request, new Arrival(fate, index)));
    arrived.clear();
    List<UUID> oldest = new ArrayList<>(past.keySet());
    oldest.subList(Math.max(0, oldest.size() - Math.max(64, 2 * parties)), oldest.size()).clear();
    oldest.forEach(past::remove);
  }
}
