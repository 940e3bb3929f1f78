package io.ensemble.objects.sync.permit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Records since when this process has seen holders unchanged. A holder counts its lease from before
 * it renews. This process counts from after it sees the renewal, and a tenth longer. So if the two
 * clocks differ in speed by less than a tenth, the holder detects the end of its lease before this
 * process does.
 */
public final class HolderFailureDetector {

  private record Seen(long token, long renewals, long judgedAt) {}

  private Map<UUID, Seen> seen = new HashMap<>();

  /** Records the holders. Returns those that have not renewed for too long. */
  public synchronized List<PermitHolder> overdue(List<PermitHolder> holders, long now) {
    Map<UUID, Seen> still = new HashMap<>();
    List<PermitHolder> overdue = new ArrayList<>();
    for (PermitHolder holder : holders) {
      Seen before = seen.get(holder.request());
      Seen sighting =
          before != null && before.token == holder.token() && before.renewals == holder.renewals()
              ? before
              : new Seen(holder.token(), holder.renewals(), now + judged(holder.leaseMillis()));
      still.put(holder.request(), sighting);
      if (now - sighting.judgedAt >= 0) {
        overdue.add(holder);
      }
    }
    seen = still;
    return overdue;
  }

  /** The time in nanoseconds until the next holder can be overdue. */
  public synchronized long nanosToNext(long now) {
    return seen.values().stream().mapToLong(s -> s.judgedAt - now).min().orElse(Long.MAX_VALUE);
  }

  /** How long a lease lasts in nanoseconds, by the clock of a process other than its owner's. */
  static long judged(long leaseMillis) {
    return leaseMillis * 1_100_000;
  }
}
