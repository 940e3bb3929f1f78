package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.mwmr.RegisterDraft;
import io.ensemble.cache.swmr.CopyDraft;
import io.ensemble.cache.weak.EntryDraft;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.Course;
import io.ensemble.change.Remains;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The errands of one turn of a mover: what it does at the sites. */
final class Errands implements AutoCloseable {

  /** How long a store must have been gone to be gone for good: a site that starts has none yet. */
  static final Duration GONE_AFTER = Duration.ofSeconds(60);

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final Means means;
  private final WriterId writer;
  private final StoredDefinition stored;
  private final Change change;
  private final Course course;
  private final List<StoreHandle> former = new ArrayList<>();
  private final Source source;
  private final Takeover takeover;
  private final Abandoned abandoned;
  private final Set<Bytes> doubtful = ConcurrentHashMap.newKeySet();
  private final Map<Integer, Long> missedSince = new ConcurrentHashMap<>();
  private final Tally tally;
  private final Pace pace;

  /** A new store is not there any more. */
  static final class NewStoreLost extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NewStoreLost(Throwable cause) {
      super("a new store is lost", cause);
    }
  }

  Errands(
      Means means,
      WriterId writer,
      StoredDefinition stored,
      Course course,
      Tally tally,
      Pace pace) {
    this.means = means;
    this.writer = writer;
    this.stored = stored;
    this.change = stored.change().orElseThrow();
    this.course = course;
    this.tally = tally;
    this.pace = pace;
    CacheDefinition definition = stored.definition();
    DefinitionWatch watch = new DefinitionWatch(stored, means.definitions(), means.scheduler());
    CacheMetrics none = CacheMetrics.of(null, definition.name(), definition.mode());
    for (String site : definition.sites()) {
      former.add(new SiteHandle(means.sites().of(site), watch, stored, means.scheduler(), none));
    }
    source = Sources.of(stored, former, means.scheduler(), means.clock(), writer, true);
    takeover = new Takeover(means, writer, stored, watch, source);
    abandoned = new Abandoned(means, writer, stored, tally);
  }

  /** Whether each site of the present configuration answers for itself. */
  static boolean each(StoredDefinition stored) {
    return stored.definition().mode() == Mode.WEAK;
  }

  /** Makes the new stores; those that are there are this owner's own, of an earlier try. */
  CompletionStage<?> make() {
    return all(stored.newStores(), this::make).thenRun(course::made);
  }

  private CompletionStage<?> make(Remains wanted) {
    Site site = means.sites().of(wanted.site());
    return site.create(wanted.store(), kind(), soon())
        .handle(
            (made, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(made);
              }
              Throwable cause = Unwrapped.of(failure);
              return cause instanceof SiteException why && why.reason() == Reason.FAILED
                  ? site.open(wanted.store(), kind(), soon())
                      .exceptionallyCompose(Errands::halfMade)
                  : CompletableFuture.<SiteStore>failedFuture(cause);
            })
        .thenCompose(stage -> stage);
  }

  /** What an earlier try has left without the end of its creation is no store. */
  private static CompletionStage<SiteStore> halfMade(Throwable failure) {
    return CompletableFuture.failedStage(
        Unwrapped.of(failure) instanceof SiteException why && why.reason() == Reason.STORE_LOST
            ? new NewStoreLost(why)
            : failure);
  }

  private StoreKind kind() {
    return SiteHandle.kindOf(change.to());
  }

  /** Copies everything, and compares it where it was copied before. */
  CompletionStage<?> copy(boolean last) {
    List<SiteStore> targets = new ArrayList<>();
    return all(
            stored.newStores(),
            wanted ->
                means
                    .sites()
                    .of(wanted.site())
                    .open(wanted.store(), kind(), soon())
                    .handle(
                        (store, failure) -> {
                          if (failure == null) {
                            synchronized (targets) {
                              return targets.add(toFill(store));
                            }
                          }
                          throw lost(failure);
                        }))
        .thenCompose(
            opened -> {
              tally.begin();
              Pace own = last ? pace.unbounded() : pace; // Then nobody is served.
              Drafts drafts = new Drafts(source, targets, draft(), doubtful, means.scheduler());
              return pass(
                  List.of(Pass.Stretch.of(source), OpenStore.stretch(targets)),
                  drafts::settle,
                  own);
            })
        .thenRun(() -> course.copied(last));
  }

  private CompletionStage<Void> pass(
      List<Pass.Stretch> stretches, Function<Bytes, CompletionStage<?>> settle, Pace own) {
    return new Pass(
            stretches,
            () -> List.copyOf(doubtful),
            settle,
            tally,
            own,
            means.scheduler(),
            writer.low())
        .run();
  }

  /** Ends the stores that a restarted change has abandoned. */
  CompletionStage<?> fence() {
    return abandoned.fence().thenRun(() -> course.fenced(means.scheduler().nanos()));
  }

  /** Brings what is left of them into the new ones, unless one has come back. */
  CompletionStage<?> salvage() {
    tally.begin();
    return abandoned
        .salvage(pace.unbounded()) // Nobody is served.
        .thenAccept(
            complete -> {
              if (complete) {
                course.salvaged();
              } else {
                course.unfenced();
              }
            });
  }

  /** Takes over all that the former configuration holds, and all of which there is a draft. */
  CompletionStage<?> takeOver() {
    tally.begin();
    return takeover
        .stretches()
        .thenCompose(stretches -> pass(stretches, takeover::settle, pace))
        .thenRun(course::tookOver)
        .whenComplete((done, failure) -> missed(failure));
  }

  /** A former store that is gone counts as ended after a while; what it alone had is lost. */
  private void missed(@Nullable Throwable failure) {
    if (failure != null && Unwrapped.of(failure) instanceof SiteException why) {
      for (int site = 0; site < former.size(); site++) {
        if (former.get(site).site().equals(why.site())) {
          isGone(site, why);
        }
      }
    }
  }

  static RuntimeException lost(Throwable failure) {
    Throwable cause = Unwrapped.of(failure);
    if (cause instanceof SiteException why && why.reason() == Reason.STORE_LOST) {
      return new NewStoreLost(cause);
    }
    return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  private Function<Optional<Payload>, Bytes> draft() {
    return switch (change.to().mode()) {
      case WEAK ->
          Sources.carriesSiblings(stored)
              ? joined -> EntryDraft.ofSiblings(writer, joined)
              : value -> EntryDraft.of(writer, value);
      case MWMR -> value -> RegisterDraft.of(writer, value);
      case SWMR -> value -> CopyDraft.of(writer, value);
    };
  }

  /** A new store, under its users' keys. */
  private SiteStore toFill(SiteStore store) {
    return change.to().mode() == Mode.SWMR ? CopyDraft.copiesIn(store) : store;
  }

  /** Puts ends where they can be put. */
  CompletionStage<?> seal(Set<Integer> sites) {
    Set<Throwable> failures = ConcurrentHashMap.newKeySet();
    return all(sites, site -> seal(site, failures))
        .thenRun(
            () -> {
              long known = sites.stream().filter(course::knowsEnd).count();
              if (known == 0 && !failures.isEmpty()) {
                throw lost(failures.iterator().next());
              }
            });
  }

  private CompletionStage<?> seal(int site, Set<Throwable> failures) {
    return source
        .end(site, soon())
        .handleAsync(
            (end, failure) -> {
              if (failure == null || isGone(site, Unwrapped.of(failure))) {
                synchronized (course) {
                  course.ended(site, means.scheduler().nanos());
                }
              } else {
                failures.add(Unwrapped.of(failure));
              }
              return true;
            },
            means.scheduler());
  }

  /** A store that nobody finds any more answers nobody; but a site that starts may yet find it. */
  private boolean isGone(int site, Throwable failure) {
    if (!(failure instanceof SiteException why) || why.reason() != Reason.STORE_LOST) {
      missedSince.remove(site);
      return false;
    }
    long now = means.scheduler().nanos();
    Long since = missedSince.putIfAbsent(site, now);
    boolean sure = since != null && now - since >= GONE_AFTER.toNanos();
    return sure && source.endsWith(former.get(site).site());
  }

  /** Removes what can be reached; the rest is for another time. */
  CompletionStage<?> remove(Set<Remains> remains) {
    Set<Remains> removed = ConcurrentHashMap.newKeySet();
    return all(
            remains,
            one -> {
              Site site = means.sites().find(one.site()).orElse(null);
              return site == null
                  ? CompletableFuture.completedFuture(true)
                  : site.remove(one.store(), soon())
                      .handle((done, failure) -> failure == null && removed.add(one));
            })
        .thenRunAsync(() -> course.removed(new HashSet<>(removed)), means.scheduler());
  }

  private Deadline soon() {
    return Deadline.after(LONGEST, means.scheduler());
  }

  static <T> CompletableFuture<Void> all(Set<T> each, Function<T, CompletionStage<?>> step) {
    return CompletableFuture.allOf(
        each.stream()
            .map(one -> step.apply(one).toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new));
  }

  @Override
  public void close() {
    takeover.close();
    source.close();
  }
}
