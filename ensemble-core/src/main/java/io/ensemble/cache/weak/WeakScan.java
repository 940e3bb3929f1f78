package io.ensemble.cache.weak;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.entry.EntryFingerprint;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.cache.weak.replica.RequestFailures;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakContext;
import io.ensemble.cache.weak.replica.WeakSite;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A scan of one site, and from the beginning of the next site when that site fails. Keys returned
 * before are remembered by a fingerprint of 64 bits, eight to sixteen bytes a key. Two keys may
 * have the same fingerprint, and one of them be left out. Such a collision happens once in ten
 * million scans of a million keys.
 */
final class WeakScan implements EntryScan {

  private final WeakContext context;
  private final List<WeakSite> order;
  private final int batch;
  private final long seed;
  private final PendingStages pendingStages;
  private final Function<Envelope, @Nullable Payload> shown;
  private final FingerprintSet met = new FingerprintSet();
  private final Map<String, String> silent = new TreeMap<>();
  private int at;
  private SiteStore.@Nullable Scan scan;
  private boolean ended;

  /**
   * @param shown the live value of an entry, null if there is none
   */
  WeakScan(
      WeakContext context,
      List<WeakSite> order,
      int batch,
      long seed,
      PendingStages pendingStages,
      Function<Envelope, @Nullable Payload> shown) {
    this.context = context;
    this.order = order;
    this.batch = batch;
    this.seed = seed;
    this.pendingStages = pendingStages;
    this.shown = shown;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    List<Entry> found = new ArrayList<>();
    return pendingStages.orFail(
        StageLoops.whileTrue(() -> step(found, deadline)).thenApply(done -> List.copyOf(found)),
        context.closed());
  }

  @Override
  public void close() {
    ended = true;
    leave();
  }

  /** Whether to continue: nothing live was found, and there is more. */
  private CompletionStage<Boolean> step(List<Entry> found, Deadline deadline) {
    if (ended) {
      return CompletableFuture.completedFuture(false);
    }
    if (deadline.hasPassed(context.scheduler())) {
      throw unavailable(RequestFailures.late(order));
    }
    return StageLoops.guarded(() -> batch(deadline))
        .handle(
            (items, failure) -> {
              if (failure != null) {
                moveOn(StageLoops.unwrap(failure));
                return true;
              }
              items.forEach(item -> keep(item, found));
              ended |= items.isEmpty();
              return found.isEmpty() && !ended;
            });
  }

  private CompletionStage<List<Item>> batch(Deadline deadline) {
    SiteStore.Scan open = scan;
    if (open != null) {
      return open.next(deadline);
    }
    return order
        .get(at)
        .open(deadline)
        .thenCompose(
            store -> {
              SiteStore.Scan begun = store.scan(batch);
              scan = begun;
              return begun.next(deadline);
            });
  }

  private void keep(Item item, List<Entry> found) {
    Envelope envelope;
    try {
      envelope = WeakEntries.decode(item.value());
    } catch (MalformedEnvelopeException notOurs) {
      return; // Not a live entry of this cache.
    }
    Payload live = shown.apply(envelope);
    if (live != null && met.add(EntryFingerprint.of(item.key(), seed))) {
      found.add(new Entry(item.key(), live));
    }
  }

  /**
   * Continues at the next site. After the last site the call fails, and a repeated call begins at
   * the first site.
   */
  private void moveOn(Throwable failure) {
    leave();
    silent.put(order.get(at).name(), RequestFailures.reason(failure));
    at++;
    if (at >= order.size()) {
      at = 0;
      throw unavailable(silent);
    }
  }

  private void leave() {
    SiteStore.Scan open = scan;
    scan = null;
    if (open != null) {
      open.close();
    }
  }

  private QuorumUnavailableException unavailable(Map<String, String> reasons) {
    return new QuorumUnavailableException(
        context.cache(), context.shortfall(1, order.size(), Set.of(), reasons));
  }
}
