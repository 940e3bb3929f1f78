package io.ensemble.objects.sync;

import io.ensemble.objects.ReadOnly;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The state of a counter. It remembers calls with ids, so that they can be repeated: each call for
 * five minutes by the clocks of all callers. While too many calls are remembered, no further one is
 * accepted. Each call removes at most two entries that are older than five minutes by the clock of
 * its caller, so one wrong clock removes few entries. If there is no room, a call removes all
 * entries whose time differs from its own by more than five minutes. So no entry remains forever
 * because the clock of its caller was ahead.
 */
class CounterState {

  static final int MOST_REMEMBERED = 1_000;
  static final long REMEMBERED_MILLIS = 300_000;
  static final int FORGOTTEN_AT_ONCE = 2;

  private record Past(long atMillis, Asked asked, CounterResult.End end, long value) {}

  private record Asked(boolean adds, long first, long second) {}

  private long value;

  /** Whether the value stays in the bounds. */
  private boolean bounded;

  private long min;
  private long max;
  private Map<UUID, Past> remembered = new LinkedHashMap<>();

  CounterState() {}

  /** A counter that stays in bounds, and begins with the number in them that is nearest to zero. */
  CounterState(SharedCounter.Bounds bounds) {
    this.bounded = true;
    this.min = bounds.min();
    this.max = bounds.max();
    this.value = Math.max(min, Math.min(max, 0));
  }

  /** The bounds; without any, those of a long. */
  @ReadOnly
  public SharedCounter.Bounds bounds() {
    return bounded ? new SharedCounter.Bounds(min, max) : SharedCounter.Bounds.NONE;
  }

  private long checked(long next) {
    if (bounded && (next < min || next > max)) {
      throw new IllegalStateException(
          "the counter must stay in [" + min + ", " + max + "]; got " + next);
    }
    return next;
  }

  private long sum(long delta) {
    long sum = value + delta;
    if (bounded && ((value ^ sum) & (delta ^ sum)) < 0) {
      throw new IllegalStateException(
          "the counter must stay in [" + min + ", " + max + "]; got " + value + " + " + delta);
    }
    return checked(sum);
  }

  @ReadOnly
  public long get() {
    return value;
  }

  public long set(long next) {
    long before = value;
    value = checked(next);
    return before;
  }

  public long add(long delta) {
    value = sum(delta);
    return value;
  }

  public boolean compareAndSet(long expected, long next) {
    if (value != expected) {
      return false;
    }
    value = checked(next);
    return true;
  }

  /** As {@link #add}, once for each id. */
  public CounterResult addOnce(UUID call, long delta, long nowMillis) {
    Asked asked = new Asked(true, delta, 0);
    CounterResult known = known(call, asked, nowMillis);
    return known != null
        ? known
        : remember(call, asked, nowMillis, CounterResult.End.DONE, add(delta));
  }

  /** As {@link #compareAndSet}, once for each id. */
  public CounterResult compareAndSetOnce(UUID call, long expected, long next, long nowMillis) {
    Asked asked = new Asked(false, expected, next);
    CounterResult known = known(call, asked, nowMillis);
    if (known != null) {
      return known;
    }
    boolean met = compareAndSet(expected, next);
    CounterResult.End end = met ? CounterResult.End.DONE : CounterResult.End.NOT_MET;
    return remember(call, asked, nowMillis, end, value);
  }

  private CounterResult remember(
      UUID call, Asked asked, long nowMillis, CounterResult.End end, long after) {
    remembered.put(call, new Past(nowMillis, asked, end, after));
    return new CounterResult(end, after);
  }

  /** The outcome of the call; null if the call is new and may be made. */
  private @Nullable CounterResult known(UUID call, Asked asked, long nowMillis) {
    Past past = remembered.get(call);
    if (past != null) {
      return past.asked.equals(asked)
          ? new CounterResult(past.end, past.value)
          : new CounterResult(CounterResult.End.OTHER_CALL, value);
    }
    Iterator<Past> oldest = remembered.values().iterator();
    for (int i = 0; i < FORGOTTEN_AT_ONCE && oldest.hasNext(); i++) {
      if (nowMillis - oldest.next().atMillis > REMEMBERED_MILLIS) {
        oldest.remove();
      }
    }
    if (remembered.size() >= MOST_REMEMBERED) {
      remembered.values().removeIf(one -> Math.abs(nowMillis - one.atMillis) > REMEMBERED_MILLIS);
    }
    return remembered.size() < MOST_REMEMBERED
        ? null
        : new CounterResult(CounterResult.End.TOO_MANY, value);
  }
}
