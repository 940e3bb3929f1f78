package io.ensemble.cache.weak;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.DrainableEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.weak.entry.EncryptedStore;
import io.ensemble.cache.weak.entry.WeakEntries;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.cache.weak.replica.WeakReplica;
import io.ensemble.envelope.Envelope;
import io.ensemble.listen.Vote;
import io.ensemble.register.Content;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A {@link WeakEngine} on the stores, with the settings and under the metrics of an open cache. */
public final class OpenWeakCache implements CacheEngine, RecoverableEngine, DrainableEngine {

  private final EngineContext cache;
  private final WeakEngine engine;

  private OpenWeakCache(EngineContext cache) {
    this.cache = cache;
    CacheDefinition definition = cache.definition();
    engine =
        new WeakEngine(
            definition.name(),
            cache.stores().stream()
                .<WeakReplica>map(
                    handle -> new LazyReplica(handle, definition.privacy().isPrivate()))
                .toList(),
            Math.max(0, cache.localSite().map(definition.sites()::indexOf).orElse(0)),
            cache.scheduler(),
            cache.clock(),
            cache.writer(),
            options(definition),
            WeakMeters.of(cache.metrics()));
    WeakMeters.show(engine, definition.sites(), cache.clock(), cache.metrics());
  }

  /** Opens the engine; its first site is the local one, or else the definition's first. */
  public static OpenWeakCache open(EngineContext cache) {
    return new OpenWeakCache(cache);
  }

  /** A grace shorter than the engine needs for its own copies is lengthened to that. */
  static WeakOptions options(CacheDefinition definition) {
    WeakOptions options = WeakOptions.DEFAULTS;
    WeakOptions.Comparison comparison = options.comparison();
    Duration least = options.copies().timeout().multipliedBy(4);
    Duration grace = definition.tombstoneGrace();
    boolean isMajority = definition.acknowledgement() == Acknowledgement.MAJORITY;
    return options
        .withAck(isMajority ? WeakOptions.Ack.MAJORITY : WeakOptions.Ack.LOCAL)
        .withSiblings(definition.siblings())
        .withComparison(
            new WeakOptions.Comparison(
                grace.compareTo(least) < 0 ? least : grace,
                comparison.interval(),
                comparison.gap(),
                comparison.width(),
                comparison.batch()));
  }

  /** The engine itself: comparisons, lag, draining. */
  public WeakEngine engine() {
    return engine;
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return engine.read(key, deadline);
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return engine.write(key, value, deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return engine.update(key, update, deadline);
  }

  /**
   * Every site may hold an acknowledged write that no other site holds yet. So a stream begins with
   * the sites that can be scanned, but only a scan of all of them advances its position.
   */
  @Override
  public Optional<ChangeSource> changes() {
    CacheDefinition definition = cache.definition();
    if (definition.keepsSiblings()) {
      throw new UnsupportedOperationException("a cache with siblings cannot be listened to");
    }
    return Optional.of(
        new ChangeSource(
            0,
            cache.stores(),
            1,
            cache.stores().size(),
            true,
            options(definition).comparison().grace().toNanos() / 1000,
            stored -> voteOf(maskClearValue(stored)),
            this::readContent,
            ChangeSource.unconditional()));
  }

  private Bytes maskClearValue(Bytes stored) {
    return cache.definition().privacy().isPrivate() ? EncryptedStore.shown(stored) : stored;
  }

  private static Vote<Payload> voteOf(Bytes stored) {
    Envelope envelope = WeakEntries.decode(stored);
    return Vote.ofEntry(envelope.stamp(), payloadOf(envelope));
  }

  private static @Nullable Payload payloadOf(Envelope envelope) {
    Bytes value = envelope.payload();
    return value == null ? null : new Payload(value, envelope.endMicros(), envelope.encrypted());
  }

  /** The last write of a key at the sites that answer; all of them must answer if none has one. */
  private CompletionStage<Content<Payload>> readContent(Bytes key, Deadline deadline) {
    return new LatestEntryRead(cache, this::maskClearValue)
        .run(key, deadline)
        .thenApply(OpenWeakCache::contentOf);
  }

  private static Content<Payload> contentOf(Optional<Envelope> last) {
    return last.map(envelope -> Vote.contentOf(envelope.stamp(), payloadOf(envelope)))
        .orElseGet(Content::absent);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return engine.scan(batchSize);
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return engine.scanKeys(batchSize);
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    return engine.siblings(key, deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    return engine.amend(key, siblingUpdate, deadline);
  }

  @Override
  public EntryScan scan(
      int batchSize, Function<Siblings<Payload>, @Nullable Payload> valueSelector) {
    return engine.scan(batchSize, valueSelector);
  }

  /** Needs every other site: entries that only a missing site holds would be missed. */
  @Override
  public CompletionStage<Long> refill(String site, SiteStore emptyStore, Deadline deadline) {
    SiteStore newStore =
        cache.definition().privacy().isPrivate() ? new EncryptedStore(emptyStore) : emptyStore;
    CompletableFuture<Long> copied = new CompletableFuture<>();
    Timer timer =
        cache
            .scheduler()
            .after(
                Math.max(0, deadline.remainingNanos(cache.scheduler())),
                () ->
                    copied.completeExceptionally(
                        new SiteException(site, Reason.TIMED_OUT, "not refilled in time")));
    engine
        .refill(site, newStore)
        .whenComplete(
            (report, failure) -> {
              timer.cancel();
              if (failure != null) {
                copied.completeExceptionally(failure);
              } else if (!report.isComplete()) {
                copied.completeExceptionally(incompleteException(site, report));
              } else {
                copied.complete(report.copied());
              }
            });
    return copied.whenComplete(
        (keys, failure) -> {
          if (failure != null) {
            engine.abandonRefill(site, newStore);
          }
        });
  }

  private QuorumUnavailableException incompleteException(String site, AntiEntropyReport report) {
    CacheDefinition definition = cache.definition();
    var answeredSites = new TreeSet<>(definition.sites());
    answeredSites.removeAll(report.unreachable().keySet());
    answeredSites.remove(site);
    int sites = definition.sites().size();
    return new QuorumUnavailableException(
        definition.name(),
        new QuorumFailure(sites - 1, sites, answeredSites, report.unreachable()));
  }

  @Override
  public CompletionStage<Boolean> drain(Deadline deadline) {
    return engine.drain(deadline);
  }

  @Override
  public void close() {
    engine.close();
  }

  /** The store of a site, opened when it is needed. */
  private static final class LazyReplica implements WeakReplica {

    private final StoreHandle handle;
    private final boolean isPrivate;

    // Guarded by this object's lock: one object for each incarnation.
    private @Nullable EncryptedStore lastView;

    LazyReplica(StoreHandle handle, boolean isPrivate) {
      this.handle = handle;
      this.isPrivate = isPrivate;
    }

    @Override
    public String site() {
      return handle.site();
    }

    @Override
    public Optional<SiteStore> store() {
      return handle.current().map(this::viewOf);
    }

    @Override
    public CompletionStage<SiteStore> open(Deadline deadline) {
      return handle.store(deadline).thenApply(this::viewOf);
    }

    private synchronized SiteStore viewOf(SiteStore store) {
      if (!isPrivate) {
        return store;
      }
      EncryptedStore encryptedStore = lastView;
      if (encryptedStore == null || encryptedStore.store() != store) {
        encryptedStore = new EncryptedStore(store);
        lastView = encryptedStore;
      }
      return encryptedStore;
    }
  }
}
