package io.ensemble.manager;

import io.ensemble.EntryView;
import io.ensemble.Mode;
import io.ensemble.SiteView;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.mwmr.CellView;
import io.ensemble.cache.swmr.copy.CopyView;
import io.ensemble.cache.weak.entry.SiblingCodec;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.codec.Codec;
import io.ensemble.envelope.Envelope;
import io.ensemble.envelope.EnvelopeCodec;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/** Reads the entry of a key from each site, independently of the cache's own answer. */
public record KeyInspector(ManagerContext federation, Codec codec) {

  /**
   * @param naming maps an encoded key to the key that sites store
   */
  public CompletionStage<List<SiteView>> of(
      StoredDefinition stored, Object wanted, UnaryOperator<Bytes> naming, Duration longest) {
    Bytes encoded = naming.apply(codec.encode(wanted));
    Bytes key = stored.definition().mode() == Mode.SWMR ? CopyView.key(encoded) : encoded;
    CompletionStage<List<SiteView>> views = CompletableFuture.completedFuture(new ArrayList<>());
    for (String site : stored.definition().sites()) {
      views =
          views.thenCombine(
              view(stored, site, key, longest),
              (all, one) -> {
                all.add(one);
                return all;
              });
    }
    return views.thenApply(List::copyOf);
  }

  private CompletionStage<SiteView> view(
      StoredDefinition stored, String site, Bytes key, Duration longest) {
    Optional<String> store = stored.store(site);
    long begin = federation.scheduler().nanos();
    return read(stored, site, store, key, longest)
        .handle(
            (entry, thrown) ->
                new SiteView(
                    site,
                    store,
                    thrown == null ? entry : Optional.empty(),
                    Optional.ofNullable(thrown).map(CompletionCause::of).map(KeyInspector::words),
                    Duration.ofNanos(federation.scheduler().nanos() - begin)));
  }

  private CompletionStage<Optional<EntryView>> read(
      StoredDefinition stored, String site, Optional<String> store, Bytes key, Duration longest) {
    return federation
        .sites()
        .learn(List.of(site))
        .thenCompose(learnt -> readThere(stored, site, store, key, longest));
  }

  private CompletionStage<Optional<EntryView>> readThere(
      StoredDefinition stored, String site, Optional<String> store, Bytes key, Duration longest) {
    Site place = federation.sites().find(site).orElse(null);
    if (place == null) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("the site is not configured in this process"));
    }
    if (store.isEmpty()) {
      return CompletableFuture.failedFuture(
          new IllegalStateException("the site has no store of the cache; recover the site"));
    }
    Deadline deadline = Deadline.after(longest, federation.scheduler());
    return place
        .open(store.get(), SiteHandle.kindOf(stored.definition()), deadline)
        .thenCompose(open -> open.read(key, deadline))
        .thenApply(found -> found.map(StoredEntry::value).map(value -> shown(stored, value)));
  }

  private static EntryView shown(StoredDefinition stored, Bytes value) {
    return switch (stored.definition().mode()) {
      case WEAK -> entry(EnvelopeCodec.decode(value));
      case SWMR -> CopyView.of(value);
      case MWMR -> CellView.of(value);
    };
  }

  private static EntryView entry(Envelope envelope) {
    int siblings = envelope.context() == null ? 0 : SiblingCodec.siblings(envelope).alive().size();
    return EntryView.of(envelope, siblings < 2 ? "" : siblings + " siblings");
  }

  private static String words(Throwable thrown) {
    return thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
  }
}
