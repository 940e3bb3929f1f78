package io.ensemble.cache.listen;

import io.ensemble.ListenLimitException;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.listen.ChangeMerger;
import io.ensemble.listen.ListenOutput;
import io.ensemble.listen.ReadBasis;
import io.ensemble.listen.Vote;
import io.ensemble.partition.StableHash;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoreObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives a {@link ChangeMerger} over the stores of a cache: observes the stores, scans them in
 * rounds, and reads by majority the keys for which the votes prove nothing. Passes on outputs only
 * when the configuration of the stores is confirmed, so that no write is shown that a change of the
 * configuration leaves behind.
 *
 * <p>A round begins when the former one has ended and a pause has passed; after a doubt, such as an
 * interrupted observation or another configuration, it begins immediately. Every request has a
 * deadline. Thread-safe.
 */
final class ChangeFeed implements AutoCloseable {

  /** How much the clocks of two clients may differ. */
  private static final long CLOCK_SKEW_MICROS = 60_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(ChangeFeed.class);

  static final Duration REQUEST = Duration.ofSeconds(5);
  private static final Duration TICK = Duration.ofMillis(250);
  private static final Duration RETRY = Duration.ofMillis(500);

  /** After failed rounds the pause is 8 s at most. */
  private static final int MOST_DOUBLINGS = 5;

  /** How many ticks a write may be unproven before its key is read. */
  private static final int PATIENCE_TICKS = 2;

  private static final int READS_AT_ONCE = 64;

  private final String cache;
  private final Supplier<Optional<ChangeSource>> sources;
  private final KeySelection selection;
  private final Scheduler scheduler;
  private final ListenLimits limits;
  private final Consumer<List<ListenOutput<Bytes, Payload>>> sink;
  private final Consumer<Throwable> failed;
  private final PeriodicTask ticks;

  // All fields below are guarded by this object's lock.
  private final ChangeMerger<Bytes, Payload> merger;
  private final List<ListenOutput<Bytes, Payload>> unconfirmed = new ArrayList<>();
  private @Nullable ChangeSource present;
  private @Nullable SiteStore[] stores = new SiteStore[0];
  private Runnable[] observations = new Runnable[0];
  private @Nullable StoreObserver[] observers = new StoreObserver[0];
  private boolean[] isObserved = new boolean[0];
  private long[] observedNanos = new long[0];

  /** The replicas whose scan is under way, perhaps since an earlier round. */
  private boolean[] isScanned = new boolean[0];

  /** The replicas whose scan has ended in this round, by their bits. */
  private long scannedReplicas;

  private int failures;
  private boolean isInRound;
  private boolean isDoubtful;
  private long unconfirmedBytes;

  /** The confirmation under way, whether it has passed outputs on; null for none. */
  private @Nullable CompletableFuture<Boolean> confirming;

  private boolean isReading;

  /** The keys of which a report is being read, and whether another report has arrived since. */
  private final Map<Bytes, Boolean> keysToRead = new HashMap<>();

  private boolean isClosed;
  private Scheduler.@Nullable Timer nextRound;

  /**
   * @param cache the name of the cache, for the log
   * @param sources the present source; empty while there is none. Fails once the cache is closed
   * @param selection the stored keys to follow
   * @param sink receives confirmed outputs, in order, one call at a time; must be quick
   * @param failed receives the failure that ended the feed, at most once
   */
  ChangeFeed(
      String cache,
      Supplier<Optional<ChangeSource>> sources,
      KeySelection selection,
      Scheduler scheduler,
      ListenLimits limits,
      ChangeMerger<Bytes, Payload> merger,
      Consumer<List<ListenOutput<Bytes, Payload>>> sink,
      Consumer<Throwable> failed) {
    this.cache = cache;
    this.sources = sources;
    this.selection = selection;
    this.scheduler = scheduler;
    this.limits = limits;
    this.merger = merger;
    this.sink = sink;
    this.failed = failed;
    ticks = new PeriodicTask("listener of " + cache, scheduler, TICK, this::tick);
  }

  /** The properties of payloads that the merger needs. */
  static ChangeMerger.Values<Payload> values() {
    return new ChangeMerger.Values<>() {
      @Override
      public long fingerprint(Payload value) {
        return StableHash.of(value.value().array()) * 31 + value.endMicros();
      }

      @Override
      public long expiryMicros(Payload value) {
        return value.endMicros();
      }

      @Override
      public long sizeBytes(Payload value) {
        return value.value().size();
      }
    };
  }

  Scheduler scheduler() {
    return scheduler;
  }

  void start() {
    ticks.start();
    scheduler.execute(this::beginRound);
  }

  // Rounds.

  private void beginRound() {
    ChangeSource source;
    try {
      Optional<ChangeSource> found = sources.get();
      synchronized (this) {
        if (isClosed || isInRound) {
          return;
        }
        isInRound = true;
        isDoubtful = false;
      }
      if (found.isEmpty()) {
        endRound(RETRY);
        return;
      }
      source = adopt(found.get());
    } catch (RuntimeException ended) {
      fail(ended);
      return;
    }
    synchronized (this) {
      merger.beginRound(scheduler.epochMicros(), source.scansRequired() < source.scansCovering());
      scannedReplicas = 0;
    }
    boolean isCatchingUp;
    synchronized (this) {
      isCatchingUp = merger.isCatchingUp();
    }
    scanAll(source, isCatchingUp ? source.scansRequired() : source.stores().size())
        .thenCompose(
            scanned ->
                scanned < source.scansRequired()
                    ? done(false)
                    : resolveAll(source, scanned >= source.scansCovering())
                        .thenCompose(
                            resolved -> resolved ? completeRound(source, scanned) : done(false)))
        .whenComplete(
            (complete, failure) -> {
              if (failure != null) {
                LOG.debug("a round of a listener failed; cache={}", cache, failure);
              }
              boolean isComplete = failure == null && complete;
              flush();
              endRound(isComplete ? pause() : retryPause());
            });
  }

  /** Grows with each failed round in a row, because a round scans the replicas that answer. */
  private synchronized Duration retryPause() {
    failures = Math.min(failures + 1, MOST_DOUBLINGS);
    return RETRY.multipliedBy(1L << (failures - 1));
  }

  private static CompletionStage<Boolean> done(boolean result) {
    return CompletableFuture.completedFuture(result);
  }

  private synchronized Duration pause() {
    failures = 0;
    for (boolean one : isObserved) {
      if (!one) {
        return limits.pollInterval();
      }
    }
    return limits.scanInterval();
  }

  private void endRound(Duration pause) {
    synchronized (this) {
      isInRound = false;
      if (isClosed) {
        return;
      }
      Duration next = isDoubtful && pause.compareTo(RETRY) > 0 ? RETRY : pause;
      try {
        nextRound = scheduler.after(next.toNanos(), this::beginRound);
      } catch (RejectedExecutionException ended) {
        LOG.debug("the scheduler has ended; cache={}", cache);
      }
    }
  }

  /** Reports may be missing: a round follows soon. */
  private void doubt() {
    synchronized (this) {
      if (isClosed || isDoubtful) {
        return;
      }
      isDoubtful = true;
      if (isInRound) {
        return;
      }
      if (nextRound != null) {
        nextRound.cancel();
      }
      try {
        nextRound = scheduler.after(RETRY.toNanos(), this::beginRound);
      } catch (RejectedExecutionException ended) {
        LOG.debug("the scheduler has ended; cache={}", cache);
      }
    }
  }

  /** Switches to the configuration of {@code source}, if it is another one. */
  private ChangeSource adopt(ChangeSource source) {
    Runnable[] former;
    synchronized (this) {
      ChangeSource known = present;
      if (known != null
          && known.configuration() == source.configuration()
          && known.scansRequired() == source.scansRequired()
          && known.scansCovering() == source.scansCovering()
          && known.stores().equals(source.stores())) {
        return known;
      }
      former = observations;
      stores = new SiteStore[source.stores().size()];
      observations = new Runnable[source.stores().size()];
      observers = new StoreObserver[source.stores().size()];
      isObserved = new boolean[source.stores().size()];
      observedNanos = new long[source.stores().size()];
      isScanned = new boolean[source.stores().size()];
      if (known != null) {
        known.stores().forEach(store -> merger.replaced(known.stores().indexOf(store)));
      }
      // What could not be confirmed is shown again as far as the next configuration has it.
      drainMerger();
      merger.withdraw(unconfirmed);
      unconfirmed.removeIf(output -> !isGapOfAllKeys(output));
      unconfirmedBytes = 0; // Gaps have no values.
      merger.reconfigured(source.configuration());
      present = source;
    }
    endAll(former);
    return source;
  }

  /** Whether a reader must learn of it in any configuration. */
  private static boolean isGapOfAllKeys(ListenOutput<Bytes, Payload> output) {
    return output instanceof ListenOutput.Missing<Bytes, Payload> missing
        && missing.gap().key().isEmpty();
  }

  private static void endAll(Runnable[] observations) {
    for (Runnable one : observations) {
      if (one != null) {
        one.run();
      }
    }
  }

  /**
   * Scans the replicas that no earlier round is still scanning.
   *
   * @param enough after so many were scanned, the others have {@link ListenLimits#openingPatience}
   *     more: they may hang for the time of several requests. What they return later counts as
   *     reports
   * @return how many replicas were scanned
   */
  private CompletionStage<Integer> scanAll(ChangeSource source, int enough) {
    int replicas = source.stores().size();
    CompletableFuture<Integer> result = new CompletableFuture<>();
    AtomicInteger scanned = new AtomicInteger();
    AtomicInteger left = new AtomicInteger(replicas);
    if (replicas == 0) {
      return CompletableFuture.completedFuture(0);
    }
    for (int i = 0; i < replicas; i++) {
      int replica = i;
      scanOnce(source, replica)
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  LOG.debug(
                      "a replica could not be scanned; cache={} replica={}",
                      cache,
                      source.stores().get(replica).site(),
                      CompletionCause.of(failure));
                } else if (scanned.incrementAndGet() == enough && enough < replicas) {
                  completeLater(result, scanned);
                }
                if (left.decrementAndGet() == 0) {
                  result.complete(scanned.get());
                }
              });
    }
    return result;
  }

  private void completeLater(CompletableFuture<Integer> result, AtomicInteger scanned) {
    try {
      Scheduler.Timer late =
          scheduler.after(limits.openingPatience().toNanos(), () -> result.complete(scanned.get()));
      result.whenComplete((count, failure) -> late.cancel());
    } catch (RejectedExecutionException ended) {
      result.complete(scanned.get());
    }
  }

  private CompletionStage<Void> scanOnce(ChangeSource source, int replica) {
    synchronized (this) {
      if (isClosed || present != source || isScanned[replica]) {
        return CompletableFuture.failedFuture(
            new IllegalStateException("an earlier scan of the replica is under way"));
      }
      isScanned[replica] = true;
    }
    return scan(source, replica)
        .whenComplete(
            (done, failure) -> {
              synchronized (this) {
                if (present == source) {
                  isScanned[replica] = false;
                  scannedReplicas |= failure == null ? ChangeMerger.replicaBit(replica) : 0;
                }
              }
            });
  }

  private CompletionStage<Void> scan(ChangeSource source, int replica) {
    StoreHandle handle = source.stores().get(replica);
    return handle
        .store(requestDeadline())
        .thenCompose(
            store ->
                observed(source, replica, store).thenCompose(done -> scan(source, replica, store)));
  }

  private Deadline requestDeadline() {
    return Deadline.after(REQUEST, scheduler);
  }

  private CompletionStage<Void> scan(ChangeSource source, int replica, SiteStore store) {
    Set<Bytes> wanted = selection.keys();
    if (wanted != null) {
      return readWanted(source, replica, store, wanted);
    }
    return StoreWalk.over(
        scheduler,
        store,
        StoreWalk.LARGE_BATCH,
        scan -> scan.next(requestDeadline()),
        items -> {
          for (Item item : items) {
            accept(source, replica, store, item.key(), item.value(), true);
          }
          return relieve(source);
        });
  }

  private CompletionStage<Void> readWanted(
      ChangeSource source, int replica, SiteStore store, Set<Bytes> wanted) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (Bytes key : wanted) {
      CompletionStage<Void> one =
          store
              .read(key, requestDeadline())
              .thenAccept(
                  entry ->
                      entry.ifPresent(
                          stored -> accept(source, replica, store, key, stored.value(), true)));
      all = all.thenCombine(one, (left, right) -> left);
    }
    return all;
  }

  /**
   * Before the scan goes on: passes outputs on while too many wait for confirmation, and reads
   * unproven keys while there are many and reads prove some of them. Fails if outputs cannot be
   * confirmed, because their number would have no bound.
   */
  private CompletionStage<Boolean> relieve(ChangeSource source) {
    return AsyncLoop.whileTrue(scheduler, () -> relieveOnce(source)).thenApply(end -> true);
  }

  /** Returns whether another step may be necessary. */
  private CompletionStage<Boolean> relieveOnce(ChangeSource source) {
    boolean isFull;
    int before;
    Map<Bytes, ReadBasis> open;
    synchronized (this) {
      if (isClosed || present != source) {
        return CompletableFuture.failedFuture(new IllegalStateException("the feed has moved on"));
      }
      isFull = isFull();
      if (!isFull && !merger.isLoaded()) {
        return done(false);
      }
      before = merger.pendingWrites();
      open = isFull ? Map.of() : merger.unresolved(Integer.MAX_VALUE, READS_AT_ONCE);
    }
    if (isFull) {
      return flush()
          .thenApply(
              isPassed -> {
                if (!isPassed) {
                  throw new IllegalStateException("outputs cannot be confirmed now");
                }
                return true;
              });
    }
    return open.isEmpty()
        ? done(false)
        : read(source, open)
            .thenApply(
                read -> {
                  synchronized (this) {
                    return merger.pendingWrites() < before;
                  }
                });
  }

  /** Requires the lock. */
  private void drainMerger() {
    for (ListenOutput<Bytes, Payload> output : merger.drain()) {
      unconfirmed.add(output);
      unconfirmedBytes += ChangeBuffer.sizeOf(output);
    }
  }

  /** Whether so much waits for confirmation that nothing more may follow. Requires the lock. */
  private boolean isFull() {
    drainMerger();
    return unconfirmed.size() >= limits.maxBufferedEvents()
        || unconfirmedBytes >= limits.maxBufferedBytes();
  }

  /**
   * Observes a store from now on. An observation is renewed in each round that is due by time,
   * because one that has ended may not say so. A store that reports nothing is scanned only.
   */
  private CompletionStage<Void> observed(ChangeSource source, int replica, SiteStore store) {
    Runnable former;
    synchronized (this) {
      if (present != source) {
        return CompletableFuture.failedFuture(new IllegalStateException("the feed has moved on"));
      }
      long age = scheduler.nanos() - observedNanos[replica];
      boolean isSame = stores[replica] == store;
      if (isSame && isObserved[replica] && age < limits.scanInterval().toNanos() / 2) {
        return CompletableFuture.completedFuture(null);
      }
      if (stores[replica] != null && !isSame) {
        merger.replaced(replica);
      }
      former = observations[replica];
      stores[replica] = store;
      observations[replica] = () -> {};
      isObserved[replica] = false;
    }
    StoreObserver observer =
        new StoreObserver() {
          @Override
          public void stored(Bytes key, Bytes value) {
            if (selection.includes(key)) { // Most reports may be of other keys.
              accept(source, replica, store, key, value, false);
              readUnproven(source, key);
              flush();
            }
          }

          @Override
          public void interrupted() {
            interrupt(source, replica, this);
          }
        };
    return store
        .observe(observer, requestDeadline())
        .handle(
            (end, failure) -> {
              if (former != null) {
                former.run(); // Now, so that none is missing in between.
              }
              if (failure == null) {
                boolean isLate;
                synchronized (this) {
                  isLate = isClosed || present != source || stores[replica] != store;
                  if (!isLate) {
                    observations[replica] = end;
                    observers[replica] = observer;
                    observedNanos[replica] = scheduler.nanos();
                    isObserved[replica] = true;
                  }
                }
                if (isLate) {
                  end.run();
                }
              } else if (!(CompletionCause.of(failure) instanceof UnsupportedOperationException)) {
                LOG.debug(
                    "a replica cannot be observed; cache={} replica={}",
                    cache,
                    store.site(),
                    CompletionCause.of(failure));
              }
              return null;
            });
  }

  private void interrupt(ChangeSource source, int replica, StoreObserver observer) {
    Runnable former;
    synchronized (this) {
      if (present != source || observers[replica] != observer) {
        return;
      }
      former = observations[replica];
      observations[replica] = () -> {};
      isObserved[replica] = false;
    }
    if (former != null) {
      former.run();
    }
    doubt();
  }

  /**
   * @param isOfScan whether a scan has returned the entry; such entries are never dropped, because
   *     the scan waits
   */
  private void accept(
      ChangeSource source, int replica, SiteStore store, Bytes key, Bytes value, boolean isOfScan) {
    if (isInternal(key) || !selection.includes(key)) {
      return;
    }
    Vote<Payload> vote;
    try {
      vote = source.votes().apply(value);
    } catch (MalformedEnvelopeException foreign) {
      LOG.debug("a listener met an entry that is not Ensemble's; cache={}", cache, foreign);
      return;
    }
    boolean isFull;
    synchronized (this) {
      if (isClosed || present != source || stores[replica] != store) {
        return;
      }
      isFull = !isOfScan && isFull();
      if (!isFull) {
        merger.observe(replica, key, vote);
      }
    }
    if (isFull) {
      doubt(); // A round finds the write once the configuration is confirmed again.
    }
  }

  /**
   * Reads a reported key immediately, where votes prove nothing. One read of a key at a time; a
   * report that arrives meanwhile is followed by another read. What does not fit is read by a tick.
   */
  private void readUnproven(ChangeSource source, Bytes key) {
    Optional<ReadBasis> basis;
    synchronized (this) {
      if (isClosed || present != source || source.isProvenByVotes()) {
        return;
      }
      basis = merger.unproven(key);
      if (basis.isEmpty() || keysToRead.containsKey(key)) {
        keysToRead.computeIfPresent(key, (one, isReported) -> true);
        return;
      }
      if (keysToRead.size() >= READS_AT_ONCE) {
        return;
      }
      keysToRead.put(key, false);
    }
    read(source, Map.of(key, basis.get()))
        .whenComplete(
            (read, failure) -> {
              boolean isReportedAgain;
              synchronized (this) {
                isReportedAgain = Boolean.TRUE.equals(keysToRead.remove(key));
              }
              flush();
              if (isReportedAgain) {
                scheduler.execute(() -> readUnproven(source, key));
              }
            });
  }

  /** Whether a stored key is not a user's: encoded keys begin with a small number. */
  private static boolean isInternal(Bytes key) {
    return key.size() > 0 && (key.array()[0] & 0xff) >= 0xfe;
  }

  // Reads by majority.

  /**
   * Reads all keys that the scans left open; whether all could be read.
   *
   * @param isCovering whether a key that no scan has returned has vanished from the cache
   */
  private CompletionStage<Boolean> resolveAll(ChangeSource source, boolean isCovering) {
    int scanned;
    synchronized (this) {
      scanned = merger.tick();
    }
    Deque<Map.Entry<Bytes, ReadBasis>> vanished = new ArrayDeque<>();
    boolean[] isSought = {!isCovering};
    boolean[] isRead = {true};
    return AsyncLoop.whileTrue(
            scheduler,
            () -> {
              Map<Bytes, ReadBasis> open = unresolved(scanned);
              if (open.isEmpty() && !isSought[0]) {
                isSought[0] = true;
                synchronized (this) {
                  vanished.addAll(merger.vanished().entrySet());
                }
              }
              while (open.size() < READS_AT_ONCE && !vanished.isEmpty()) {
                Map.Entry<Bytes, ReadBasis> one = vanished.remove();
                open.putIfAbsent(one.getKey(), one.getValue());
              }
              if (open.isEmpty()) {
                return done(false);
              }
              return read(source, open)
                  .thenCompose(read -> relieve(source).thenApply(relieved -> read))
                  .thenApply(
                      read -> {
                        isRead[0] = read;
                        return read && isCurrent(source);
                      });
            })
        .thenApply(end -> isRead[0] && isCurrent(source));
  }

  private synchronized boolean isCurrent(ChangeSource source) {
    return !isClosed && present == source;
  }

  private synchronized Map<Bytes, ReadBasis> unresolved(int since) {
    return merger.unresolved(since, READS_AT_ONCE);
  }

  private CompletionStage<Boolean> read(ChangeSource source, Map<Bytes, ReadBasis> open) {
    CompletionStage<Boolean> all = done(true);
    for (Map.Entry<Bytes, ReadBasis> entry : open.entrySet()) {
      Bytes key = entry.getKey();
      CompletionStage<Boolean> one =
          source
              .reader()
              .apply(key, requestDeadline())
              .handle(
                  (content, failure) -> {
                    synchronized (this) {
                      if (failure == null && !isClosed && present == source) {
                        merger.decided(key, content, entry.getValue());
                        return true;
                      }
                    }
                    return false;
                  });
      all = all.thenCombine(one, (left, right) -> left && right);
    }
    return all;
  }

  private CompletionStage<?> tick() {
    ChangeSource source;
    Map<Bytes, ReadBasis> open;
    synchronized (this) {
      int since = merger.tick() - PATIENCE_TICKS;
      source = present;
      if (source == null || isReading || isInRound) {
        open = Map.of();
      } else {
        open = merger.unresolved(since, READS_AT_ONCE);
        isReading = !open.isEmpty();
      }
    }
    checkSource(source);
    flush();
    if (source == null || open.isEmpty()) {
      return done(true);
    }
    return read(source, open)
        .whenComplete(
            (read, failure) -> {
              synchronized (this) {
                isReading = false;
              }
              flush();
            });
  }

  /** Notices the end of the cache, and another configuration. */
  private void checkSource(@Nullable ChangeSource known) {
    try {
      Optional<ChangeSource> now = sources.get();
      boolean isOther =
          now.isPresent()
              && known != null
              && !(now.get().configuration() == known.configuration()
                  && now.get().stores().equals(known.stores()));
      if (isOther) {
        doubt();
      }
    } catch (RuntimeException ended) {
      fail(ended);
    }
  }

  // Outputs.

  private CompletionStage<Boolean> completeRound(ChangeSource source, int scanned) {
    synchronized (this) {
      // A scan may take long, and the clock of a process that purges may be ahead.
      long visibleSince = scheduler.epochMicros() - source.retainedMicros() + CLOCK_SKEW_MICROS;
      if (!isCurrent(source)) {
        return done(false);
      }
      merger.completeRound(visibleSince, scanned >= source.scansCovering(), scannedReplicas);
      return done(true);
    }
  }

  /**
   * Passes outputs on, once what was seen so far is confirmed.
   *
   * @return whether outputs were passed on, or none were waiting; that of the present confirmation
   *     if there is one
   */
  private CompletionStage<Boolean> flush() {
    ChangeSource source;
    int count;
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    synchronized (this) {
      drainMerger();
      source = present;
      count = unconfirmed.size();
      if (merger.hasTooManyKeys()) {
        scheduler.execute(
            () ->
                fail(
                    new ListenLimitException(
                        "more keys than a stream of changes may follow; limit=" + limits.maxKeys(),
                        cache)));
        return done(false);
      }
      if (isClosed || count == 0 || source == null) {
        return done(!isClosed);
      }
      if (confirming != null) {
        return confirming;
      }
      confirming = mine;
    }
    source
        .confirmation()
        .apply(requestDeadline())
        .whenComplete((yes, failure) -> confirmed(source, count, failure == null && yes, mine));
    return mine;
  }

  private void confirmed(
      ChangeSource source, int count, boolean isConfirmed, CompletableFuture<Boolean> call) {
    boolean isPassed = false;
    boolean isMore = false;
    synchronized (this) {
      if (!isClosed && isConfirmed && present == source) {
        List<ListenOutput<Bytes, Payload>> ready = unconfirmed.subList(0, count);
        sink.accept(List.copyOf(ready));
        ready.forEach(output -> unconfirmedBytes -= ChangeBuffer.sizeOf(output));
        ready.clear();
        isPassed = true;
        isMore = !unconfirmed.isEmpty();
      }
      confirming = null;
    }
    call.complete(isPassed);
    if (isMore) {
      scheduler.execute(this::flush);
    }
  }

  private void fail(Throwable failure) {
    synchronized (this) {
      if (isClosed) {
        return;
      }
    }
    close();
    failed.accept(failure);
  }

  /** Ends the feed and its observations. */
  @Override
  public void close() {
    Runnable[] former;
    synchronized (this) {
      isClosed = true;
      former = observations;
      observations = new Runnable[0];
      if (nextRound != null) {
        nextRound.cancel();
      }
    }
    ticks.close();
    endAll(former);
  }
}
