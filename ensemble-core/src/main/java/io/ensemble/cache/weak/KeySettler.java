package io.ensemble.cache.weak;

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
 * Makes one key equal at all sites that can be reached: the {@link Union} of all entries goes to
 * those that have less.
 *
 * <p>When every site answers and none holds anything but one spent entry, that is removed instead,
 * from the very version that was read. Nothing older can come after: the sites that answered hold
 * nothing older, and requests and waiting copies do not live as long as the grace. A site that
 * cannot be reached may hold something older, so then nothing is removed.
 */
final class KeySettler {

  private final Context context;
  private final Map<Member, SiteStore> stores;
  private final Tally tally;

  KeySettler(Context context, Map<Member, SiteStore> stores, Tally tally) {
    this.context = context;
    this.stores = stores;
    this.tally = tally;
  }

  CompletionStage<Void> settle(Bytes key) {
    Map<Member, Optional<StoredEntry>> found = Collections.synchronizedMap(new LinkedHashMap<>());
    List<CompletionStage<?>> reads = new ArrayList<>();
    for (Map.Entry<Member, SiteStore> site : stores.entrySet()) {
      Member member = site.getKey();
      SiteStore store = site.getValue();
      if (tally.reaches(member.name())) {
        reads.add(
            forgiving(
                member,
                context
                    .persist(() -> store.read(key, context.unhurried()))
                    .thenAccept(entry -> found.put(member, entry))));
      }
    }
    return Async.all(reads).thenCompose(read -> settle(key, found));
  }

  private CompletionStage<Void> settle(Bytes key, Map<Member, Optional<StoredEntry>> found) {
    tally.compared.increment();
    Held highest = null;
    boolean equal = true;
    for (Optional<StoredEntry> entry : found.values()) {
      if (entry.isPresent()) {
        Held held = Held.of(entry.get().value());
        equal &= highest == null || context.union().same(highest, held);
        highest = highest == null ? held : context.union().of(highest, held);
      }
    }
    if (highest == null) {
      return CompletableFuture.completedFuture(null);
    }
    context.stamps().saw(highest.stamp());
    return equal && tally.isComplete() && isSpent(highest)
        ? purge(key, found)
        : raise(key, highest, found);
  }

  private CompletionStage<Void> raise(
      Bytes key, Held highest, Map<Member, Optional<StoredEntry>> found) {
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
                                tally.copied.increment();
                              }
                            }))));
    return Async.all(parts);
  }

  private CompletionStage<Void> purge(Bytes key, Map<Member, Optional<StoredEntry>> found) {
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
    tally.purged.increment();
    return Async.all(parts);
  }

  private CompletionStage<Boolean> raiseAt(
      Member member, Bytes key, Held highest, Optional<StoredEntry> found) {
    SiteStore store = store(member);
    return context.persist(() -> Raise.at(context, store, key, highest, found, context::unhurried));
  }

  private SiteStore store(Member member) {
    SiteStore store = stores.get(member);
    if (store == null) {
      throw new AssertionError("a site that answered has a store; site=" + member.name());
    }
    return store;
  }

  private boolean isSpent(Held entry) {
    try {
      return Entries.isSpent(
          Entries.decode(entry.stored()),
          context.stamps().nowMicros(),
          context.options().comparison().grace());
    } catch (MalformedEnvelopeException notOurs) {
      return false;
    }
  }

  /** A site that fails is reported; the others go on. */
  private CompletionStage<@Nullable Void> forgiving(Member member, CompletionStage<?> request) {
    return request.handle(
        (done, failure) -> {
          if (failure != null) {
            tally.lost(member.name(), failure);
          }
          return null;
        });
  }
}
