package io.ensemble.cache.swmr;

import io.ensemble.CacheDefinition;
import io.ensemble.DoubtfulWrites;
import io.ensemble.Mode;
import io.ensemble.PrimaryTerm;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.Shortfall;
import io.ensemble.UnknownOutcomeException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Draining;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Promotable;
import io.ensemble.cache.Recoverable;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.Windowed;
import io.ensemble.cache.call.Answers;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Term;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An SWMR cache on its stores: a {@link SwmrEngine} on the copies, and the register of its terms,
 * which the same stores hold. So a cache's terms are born, recovered and deleted with it, and it
 * works while a majority of its own sites does.
 */
public final class OpenSwmrCache
    implements CacheEngine, Recoverable, Draining, Promotable, Windowed {

  /**
   * The same for every process that ever opens a cache: who takes over waits out the lease that
   * others may have.
   */
  static final Leases LEASES = new Leases(2_000_000_000L, 200_000_000L);

  private static final Logger LOG = LoggerFactory.getLogger(OpenSwmrCache.class);

  private final OpenCache copies;
  private final MwmrEngine register;
  private final SwmrEngine engine;
  private final Moves moves;
  private final CopySweeper sweeper;

  private OpenSwmrCache(OpenCache cache, Duration sweptAfter) {
    CacheDefinition definition = cache.definition();
    copies =
        new OpenCache(
            definition,
            Part.of(cache.stores(), CopyStore::new),
            cache.localSite(),
            cache.scheduler(),
            cache.clock(),
            cache.writer(),
            cache.metrics());
    register =
        MwmrEngine.openUnswept(
            new OpenCache(
                CacheDefinition.of(definition.name(), Mode.MWMR).sites(definition.sites()).build(),
                Part.of(cache.stores(), TermStore::new),
                cache.localSite(),
                cache.scheduler(),
                cache.clock(),
                cache.writer(),
                CacheMetrics.NONE));
    engine = SwmrEngine.open(copies, register, Keys.RECORD, LEASES);
    moves = new Moves(copies, engine.terms(), engine.tenancy());
    sweeper = new CopySweeper(copies, engine.terms(), engine.lanes(), engine, sweptAfter);
  }

  /** Opens the engine; sends nothing yet. */
  public static OpenSwmrCache open(OpenCache cache) {
    OpenSwmrCache opened = sweptOnRequest(cache, CopySweeper.LEAST_AGE);
    opened.sweeper.start();
    return opened;
  }

  /** The same, but {@link #sweep} alone forgets keys, after {@code age}. */
  static OpenSwmrCache sweptOnRequest(OpenCache cache, Duration age) {
    return new OpenSwmrCache(cache, age);
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

  @Override
  public EntryScan scan(int batchSize) {
    return engine.scan(batchSize);
  }

  @Override
  public CompletionStage<PrimaryTerm> term(Deadline deadline) {
    return engine
        .terms()
        .look()
        .thenApply(seen -> shown(seen.term()))
        .exceptionallyCompose(failure -> failed(failure, QuorumUnavailableException::new));
  }

  @Override
  public CompletionStage<PrimaryTerm> promote(String site, Deadline deadline) {
    return moves.to(site, deadline).thenApply(OpenSwmrCache::shown);
  }

  @Override
  public CompletionStage<Void> resign() {
    return engine
        .tenancy()
        .resign()
        .exceptionallyCompose(failure -> failed(failure, UnknownOutcomeException::new));
  }

  private <T> CompletionStage<T> failed(
      Throwable failure, BiFunction<String, Shortfall, Throwable> notKnown) {
    CacheDefinition definition = copies.definition();
    return CompletableFuture.failedFuture(
        Unwrapped.of(failure) instanceof Terms.NotKnownException why
            ? notKnown.apply(
                definition.name(),
                Answers.notAsked(definition.sites(), String.valueOf(why.getMessage())))
            : Unwrapped.of(failure));
  }

  private static PrimaryTerm shown(Term term) {
    Optional<WriterId> writer = Optional.of(term.writer()).filter(id -> !id.equals(WriterId.NONE));
    return new PrimaryTerm(term.epoch(), term.primary(), writer, term.active(), term.isWhole());
  }

  /**
   * Begins a term that rests on nothing that the site held, waits until every key is recovered into
   * it, and copies; then the record of terms is refilled as any register is.
   */
  @Override
  public CompletionStage<Long> refill(String site, SiteStore fresh, Deadline deadline) {
    return moves
        .without(site, deadline)
        .thenCompose(term -> new CopyRefill(copies, new CopyStore(fresh), term, deadline).run())
        .thenCompose(
            keys ->
                register
                    .refill(site, new TermStore(fresh), deadline)
                    .thenApply(
                        records -> {
                          String name = copies.definition().name();
                          LOG.info("copies refilled; cache={} site={} keys={}", name, site, keys);
                          return keys;
                        }));
  }

  @Override
  public State window() {
    return engine.window();
  }

  @Override
  public Runnable listen(Consumer<DoubtfulWrites<Bytes>> listener) {
    return engine.listen(listener);
  }

  /**
   * Ends values whose time is over, and forgets removed keys, if this process is the writer; how
   * many keys went. Done now and then without being asked.
   */
  public CompletionStage<Integer> sweep(Deadline deadline) {
    return sweeper.sweep(deadline);
  }

  /**
   * Lets a majority have what the primary alone acknowledged; then gives the writer's place up, if
   * this process has it, so that another need not wait.
   */
  @Override
  public CompletionStage<Boolean> drain(Deadline deadline) {
    CompletableFuture<Boolean> released = new CompletableFuture<>();
    Timer late =
        copies
            .scheduler()
            .after(
                Math.max(0, deadline.remainingNanos(copies.scheduler())),
                () -> released.complete(false));
    engine
        .drain(deadline)
        .thenCompose(copied -> engine.tenancy().release().thenApply(done -> copied))
        .whenComplete(
            (copied, failure) -> {
              late.cancel();
              released.complete(failure == null && copied);
            });
    return released;
  }

  @Override
  public void close() {
    sweeper.close();
    engine.close();
    register.close();
  }
}
