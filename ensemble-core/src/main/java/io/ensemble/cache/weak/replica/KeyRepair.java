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

  CompletionStage<Void> settle(Bytes key) {
    Map<WeakSite, Optional<StoredEntry>> found = Collections.synchronizedMap(new LinkedHashMap<>());
    List<CompletionStage<?>> reads = new ArrayList<>();
    for (Map.Entry<WeakSite, SiteStore> site : stores.entrySet()) {
      WeakSite member = site.getKey();
      SiteStore store = site.getValue();
      if (antiEntropyProgress.reaches(member.name())) {
        reads.add(
            forgiving(
                member,
                context
                    .persist(() -> store.read(key, context.unhurried()))
                    .thenAccept(entry -> found.put(member, entry))));
      }
    }
    return StageLoops.all(reads).thenCompose(read -> settle(key, found));
  }

  private CompletionStage<Void> settle(Bytes key, Map<WeakSite, Optional<StoredEntry>> found) {
    antiEntropyProgress.compared.increment();
    StampedEntry highest = null;
    boolean equal = true;
    for (Optional<StoredEntry> entry : found.values()) {
      if (entry.isPresent()) {
        StampedEntry held = StampedEntry.of(entry.get().value());
        equal &= highest == null || context.union().same(highest, held);
        highest = highest == null ? held : context.union().of(highest, held);
      }
    }
    if (highest == null) {
      return CompletableFuture.completedFuture(null);
    }
    context.stamps().saw(highest.stamp());
    return equal && antiEntropyProgress.isComplete() && isSpent(highest)
        ? purge(key, found)
        : raise(key, highest, found);
  }

  private CompletionStage<Void> raise(
      Bytes key, StampedEntry highest, Map<WeakSite, Optional<StoredEntry>> found) {
    List<CompletionStage<?>> parts = new ArrayList<>();
    found.forEach(
        (member, entry) ->
            parts.add(
                forgiving(
                    member,
                    raiseAt(member, key, highest, entry)
                        .thenAccept(
                            wrote -> {
                              if (wrote) {
                                antiEntropyProgress.copied.increment();
                              }
                            }))));
    return StageLoops.all(parts);
  }

  private CompletionStage<Void> purge(Bytes key, Map<WeakSite, Optional<StoredEntry>> found) {
    List<CompletionStage<?>> parts = new ArrayList<>();
    found.forEach(
        (member, entry) ->
            entry.ifPresent(
                spent ->
                    parts.add(
                        forgiving(
                            member,
                            context.persist(
                                () ->
                                    store(member)
                                        .remove(key, spent.version(), context.unhurried()))))));
    antiEntropyProgress.purged.increment();
    return StageLoops.all(parts);
  }

  private CompletionStage<Boolean> raiseAt(
      WeakSite member, Bytes key, StampedEntry highest, Optional<StoredEntry> found) {
    SiteStore store = store(member);
    return context.persist(
        () -> CasMerge.at(context, store, key, highest, found, context::unhurried));
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
    } catch (MalformedEnvelopeException notOurs) {
      return false;
    }
  }

  /** The failure of a site is reported; the other sites continue. */
  private CompletionStage<@Nullable Void> forgiving(WeakSite member, CompletionStage<?> request) {
    return request.handle(
        (done, failure) -> {
          if (failure != null) {
            antiEntropyProgress.lost(member.name(), failure);
          }
          return null;
        });
  }
}
