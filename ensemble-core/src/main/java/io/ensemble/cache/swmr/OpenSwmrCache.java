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
import io.ensemble.cache.Enrolled;
import io.ensemble.cache.Mendable;
import io.ensemble.cache.Mending;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Promotable;
import io.ensemble.cache.Recoverable;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.Windowed;
import io.ensemble.cache.call.Answers;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Roll;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An SWMR cache on its stores: a {@link SwmrEngine} on the copies, and the register of its terms,
 * which the same stores hold. So a cache's terms are born, recovered and deleted with it, and it
 * works while a majority of those of its own sites does that count.
 */
public final class OpenSwmrCache
    implements CacheEngine, Recoverable, Draining, Promotable, Windowed, Enrolled, Mendable {

  /**
   * The same for every process that ever opens a cache: who takes over waits out the lease that
   * others may have.
   */
  static final Leases LEASES = new Leases(2_000_000_000L, 200_000_000L);

  /** How long a record may be asked after its roll has ended, and more. */
  private static final long LONGEST_CALL_NANOS = 2 * LEASES.outwaitNanos();

  private static final Logger LOG = LoggerFactory.getLogger(OpenSwmrCache.class);

  private final OpenCache cache;
  private final OpenCache copies;
  private final RollEnd rollEnd;

  /** The register of the terms of the present roll. */
  private volatile MwmrEngine register;

  private final AtomicInteger registers = new AtomicInteger();

  private final SwmrEngine engine;
  private final Moves moves;
  private final CopySweeper sweeper;
  private final Mending mender;
  private final Attempts waiting;
  private volatile Runnable over = () -> {};

  private OpenSwmrCache(OpenCache cache, Leases leases, Duration sweptAfter) {
    this.cache = cache;
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
    rollEnd = new RollEnd(copies);
    register = register(Roll.first(definition.sites()));
    engine = SwmrEngine.open(copies, register, Keys.RECORD, leases);
    moves = new Moves(copies, engine.terms(), engine.tenancy());
    waiting = new Attempts(cache.scheduler(), () -> false);
    sweeper = new CopySweeper(copies, engine.terms(), engine.lanes(), engine, sweptAfter);
    mender = CopyMender.of(copies, engine.terms().rolls().missed(), engine, this::isWriter);
  }

  /** Opens the engine; sends nothing yet. */
  public static OpenSwmrCache open(OpenCache cache) {
    return open(cache, LEASES);
  }

  static OpenSwmrCache open(OpenCache cache, Leases leases) {
    OpenSwmrCache opened = new OpenSwmrCache(cache, leases, CopySweeper.LEAST_AGE);
    opened.sweeper.start();
    return opened;
  }

  /** The same, but {@link #sweep} alone forgets keys, after {@code age}. */
  static OpenSwmrCache sweptOnRequest(OpenCache cache, Duration age) {
    return new OpenSwmrCache(cache, LEASES, age);
  }

  private MwmrEngine register(Roll roll) {
    OpenCache counting = Rolls.counting(cache, roll);
    CacheDefinition definition = counting.definition();
    Bytes record = Keys.record(roll.number());
    registers.incrementAndGet();
    return MwmrEngine.openUnswept(
        new OpenCache(
            CacheDefinition.of(definition.name(), Mode.MWMR).sites(definition.sites()).build(),
            Part.of(
                counting.stores(),
                store -> new TermStore(store.prioritized(), record, this::ended)),
            counting.localSite(),
            counting.scheduler(),
            counting.clock(),
            counting.writer(),
            CacheMetrics.NONE));
  }

  private void ended() {
    over.run();
  }

  @Override
  public void whenOver(Runnable look) {
    over = look;
  }

  @Override
  public synchronized void follow(Roll roll, Runnable renew) {
    Terms terms = engine.terms();
    if (roll.number() <= terms.rolls().present().number()) {
      renew.run();
      return;
    }
    MwmrEngine former = register;
    MwmrEngine next = register(roll);
    terms.follow(new Terms.Register(roll, next, Keys.record(roll.number())), renew);
    register = next;
    closeUnused(former);
    LOG.info(
        "other sites count; cache={} roll={} sites={} epoch={}",
        copies.definition().name(),
        roll.number(),
        roll.sites(),
        roll.epoch());
  }

  /** The calls that it has under way end by their deadlines, and nobody begins another. */
  private void closeUnused(MwmrEngine former) {
    try {
      copies.scheduler().after(LONGEST_CALL_NANOS, () -> close(former));
    } catch (RejectedExecutionException ended) {
      close(former);
    }
  }

  private void close(MwmrEngine former) {
    former.close();
    registers.decrementAndGet();
  }

  /** How many registers of terms are open. */
  int registers() {
    return registers.get();
  }

  @Override
  public CompletionStage<Roll> end(
      Roll roll, SiteStore store, List<String> next, Deadline deadline) {
    return rollEnd.at(roll, store, next, deadline);
  }

  @Override
  public CompletionStage<Boolean> hasEnded(Roll roll, SiteStore store, Deadline deadline) {
    return RollEnd.hasCome(roll.number(), store, deadline);
  }

  @Override
  public CompletionStage<Boolean> hasCounted(long number, SiteStore store, Deadline deadline) {
    return RollEnd.hasRecord(number, store, deadline);
  }

  @Override
  public CompletionStage<Void> fill(Deadline deadline) {
    return moves.filled(deadline).thenAccept(term -> {});
  }

  @Override
  public CompletionStage<Long> filled(String site, Deadline deadline) {
    return moves.filled(deadline).thenCompose(term -> rollEnd.count(site, deadline));
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
    CompletionStage<Optional<Trust>> look = engine.terms().look().thenApply(Optional::of);
    return waiting
        .within(deadline, look, Optional.empty())
        .thenApply(seen -> shown(seen.orElseThrow(Terms.NotKnownException::new).term()))
        .exceptionallyCompose(failure -> failed(failure, QuorumUnavailableException::new));
  }

  /** What this process knows of the term, without asking; empty before it knows any. */
  Optional<Term> known() {
    return engine.term();
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
    CacheDefinition definition = engine.terms().rolls().now().definition();
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
    CacheDefinition definition = copies.definition();
    if (definition.sites().size() <= 2) { // The others are no majority.
      return CompletableFuture.failedFuture(
          new QuorumUnavailableException(
              definition.name(),
              Answers.notAsked(
                  definition.sites(),
                  "no other site counts, and none can give %s back what it held".formatted(site))));
    }
    return moves
        .without(site, deadline)
        .thenCompose(term -> new CopyRefill(copies, new CopyStore(fresh), term, deadline).run())
        .thenCompose(
            keys ->
                register
                    .refill(site, new TermStore(fresh, Keys.RECORD, () -> {}), deadline)
                    .thenApply(
                        records -> {
                          String name = copies.definition().name();
                          LOG.info("copies refilled; cache={} site={} keys={}", name, site, keys);
                          return keys;
                        }));
  }

  private boolean isWriter() {
    return engine.terms().last().map(Trust::term).filter(engine.terms()::isOwn).isPresent();
  }

  @Override
  public Mending mending() {
    return mender;
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
   * this process has it, so that another need not wait. The last quarter of the time is for that,
   * however much is left to be copied: whoever comes then is not to wait besides.
   */
  @Override
  public CompletionStage<Boolean> drain(Deadline deadline) {
    long left = Math.max(0, deadline.remainingNanos(copies.scheduler()));
    CompletionStage<Boolean> released =
        engine
            .drain(new Deadline(deadline.atNanos() - left / 4))
            .thenCompose(copied -> engine.tenancy().release().thenApply(done -> copied))
            .exceptionally(failure -> false);
    return waiting.within(deadline, released, false);
  }

  @Override
  public void close() {
    sweeper.close();
    engine.close();
    register.close();
  }
}
