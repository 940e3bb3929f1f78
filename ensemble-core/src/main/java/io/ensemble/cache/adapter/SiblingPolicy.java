package io.ensemble.cache.adapter;

import io.ensemble.Reconciliation;
import io.ensemble.ReconciliationException;
import io.ensemble.cache.Payload;
import io.ensemble.schedule.Scheduler;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reduces siblings to one value, by the policy of a view. */
record SiblingPolicy<V>(EntryCodec<?, V> cells, Scheduler scheduler, Reconciliation<V> policy) {

  /** The values that have not expired, each once, the last written first. */
  List<Payload> live(Siblings<Payload> found) {
    long now = cells.epochMicros().getAsLong();
    Set<Bytes> met = new HashSet<>();
    List<Payload> live = new ArrayList<>();
    for (Payload value : found.values()) {
      if (!value.isOver(now) && met.add(value.value())) {
        live.add(value);
      }
    }
    return live;
  }

  /** The single value, null for none. A single live value is returned whatever the policy is. */
  @Nullable Payload one(Siblings<Payload> found) {
    List<Payload> live = live(found);
    if (live.size() < 2) {
      return live.isEmpty() ? null : live.get(0);
    }
    V made = made(live);
    return made == null ? null : new Payload(cells.value("siblings", made), 0);
  }

  private @Nullable V made(List<Payload> live) {
    List<V> values = live.stream().map(cells::read).toList();
    try {
      return scheduler.aside(() -> policy.reconcile(values));
    } catch (RuntimeException | Error failure) {
      throw new ReconciliationException(cells.cache(), live.size(), failure);
    }
  }
}
