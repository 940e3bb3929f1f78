package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.EntryMerge;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Makes one key equal at all sites that can be reached: the {@link EntryMerge} of all entries goes
 * to the sites that have less.
 *
 * <p>When every site answers and none holds anything but one spent entry, that entry is removed
 * instead, by exactly the version that was read. No older entry can arrive later: the sites that
 * answered hold nothing older, and requests and waiting copies do not live as long as the grace. A
 * site that cannot be reached may hold an older entry, so then nothing is removed.
 */
final class KeyRepair {

  private final WeakContext context;
  private final Map<WeakSite, SiteStore> stores;
  private final AntiEntropyProgress antiEntropyProgress;

  KeyRepair(
      WeakContext context,
      Map<WeakSite, SiteStore> stores,
      AntiEntropyProgress antiEntropyProgress) {
    this.context = context;
    this.stores = stores;
    this.antiEntropyProgress = antiEntropyProgress;
  }

  CompletionStage<Void> repairKey(Bytes key) {
    Map<WeakSite, Optional<StoredEntry>> entries =
        Collections.synchronizedMap(new LinkedHashMap<>());
    List<CompletionStage<?>> reads = new ArrayList<>();
    for (Map.Entry<WeakSite, SiteStore> site : stores.entrySet()) {
      WeakSite member = site.getKey();
      SiteStore store = site.getValue();
      if (antiEntropyProgress.isReachable(member.name())) {
        reads.add(
            recordFailureOf(
                member,
                context
                    .retryRequest(() -> store.read(key, context.copyDeadline()))
                    .thenAccept(entry -> entries.put(member, entry))));
      }
    }
    return StageLoops.all(reads).thenCompose(read -> repairKey(key, entries));
  }

  private CompletionStage<Void> repairKey(Bytes key, Map<WeakSite, Optional<StoredEntry>> entries) {
    antiEntropyProgress.compared.increment();
    StampedEntry highest = null;
    boolean areEqual = true;
    for (Optional<StoredEntry> entry : entries.values()) {
      if (entry.isPresent()) {
        StampedEntry candidate = StampedEntry.of(entry.get().value());
        areEqual &= highest == null || context.entryMerge().isSame(highest, candidate);
        highest = highest == null ? candidate : context.entryMerge().of(highest, candidate);
      }
    }
    if (highest == null) {
      return CompletableFuture.completedFuture(null);
    }
    context.stamps().observe(highest.stamp());
    return areEqual && antiEntropyProgress.isComplete() && isSpent(highest)
        ? purgeKey(key, entries)
        : copyHighest(key, highest, entries);
  }

  private CompletionStage<Void> copyHighest(
      Bytes key, StampedEntry highest, Map<WeakSite, Optional<StoredEntry>> entries) {
    List<CompletionStage<?>> parts = new ArrayList<>();
    entries.forEach(
        (member, entry) ->
            parts.add(
                recordFailureOf(
                    member,
                    copyHighestTo(member, key, highest, entry)
                        .thenAccept(
                            isWritten -> {
                              if (isWritten) {
                                antiEntropyProgress.copied.increment();
                              }
                            }))));
    return StageLoops.all(parts);
  }

  private CompletionStage<Void> purgeKey(Bytes key, Map<WeakSite, Optional<StoredEntry>> entries) {
    List<CompletionStage<?>> parts = new ArrayList<>();
    entries.forEach(
        (member, entry) ->
            entry.ifPresent(
                spentEntry ->
                    parts.add(
                        recordFailureOf(
                            member,
                            context.retryRequest(
                                () ->
                                    store(member)
                                        .remove(
                                            key, spentEntry.version(), context.copyDeadline()))))));
    antiEntropyProgress.purged.increment();
    return StageLoops.all(parts);
  }

  private CompletionStage<Boolean> copyHighestTo(
      WeakSite member, Bytes key, StampedEntry highest, Optional<StoredEntry> entries) {
    SiteStore store = store(member);
    return context.retryRequest(
        () -> CasMerge.at(context, store, key, highest, entries, context::copyDeadline));
  }

  private SiteStore store(WeakSite member) {
    SiteStore store = stores.get(member);
    if (store == null) {
      throw new AssertionError("a site that answered must have a store; site=" + member.name());
    }
    return store;
  }

  private boolean isSpent(StampedEntry entry) {
    try {
      return WeakEntries.isSpent(
          WeakEntries.decode(entry.stored()),
          context.stamps().nowMicros(),
          context.options().comparison().grace());
    } catch (MalformedEnvelopeException exception) {
      return false;
    }
  }

  /** The failure of a site is reported; the other sites continue. */
  private CompletionStage<@Nullable Void> recordFailureOf(
      WeakSite member, CompletionStage<?> request) {
    return request.handle(
        (done, failure) -> {
          if (failure != null) {
            antiEntropyProgress.recordFailure(member.name(), failure);
          }
          return null;
        });
  }
}
