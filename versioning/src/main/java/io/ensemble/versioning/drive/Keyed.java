package io.ensemble.versioning.drive;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.drive.Keys;
import io.ensemble.versioning.history.Added;
import io.ensemble.versioning.history.Added.Result;
import io.ensemble.versioning.history.Addition;
import io.ensemble.versioning.history.HistoryCalls;
import io.ensemble.versioning.history.Item;
import io.ensemble.versioning.history.Limits;
import io.ensemble.versioning.history.Look;
import io.ensemble.versioning.history.Query;
import io.ensemble.versioning.history.Ref;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * The versions of all keys of a cache, as bytes. Thread-safe.
 *
 * @param <T> the versions
 */
public final class Keyed<T> {

  /**
   * What a query found.
   *
   * @param exists whether the key has a history
   * @param floor at which or below no version is added any more
   * @param horizon below which nothing is any more
   * @param maxima versions that no other is above
   * @param lastSequence how many versions were ever added
   */
  public record Found<T>(
      boolean exists,
      List<T> versions,
      List<Long> sequences,
      List<Optional<byte[]>> values,
      Optional<T> floor,
      Optional<T> horizon,
      List<T> maxima,
      long lastSequence) {}

  /** How old an answer may be. */
  public enum Age {
    /** As young as when it was asked for. */
    NOW,
    /** Somewhat older, but never older than what this process has read or written before. */
    SEQUENTIAL
  }

  private final AtomicObjectFactory factory;
  private final VersionSpace<T> space;
  private final Supplier<CompletionStage<byte[]>> highestCut;
  private final Histories histories;
  private final Histories sequential;
  private final Reading<T> reading;
  private final Reading<T> sequentialReading;
  private final Caretaker<T> caretaker;
  private final Additions<T> additions;

  /**
   * @param highestCut reads the highest version that the whole cache was read as of
   * @param deltas whether values are stored as what differs from others
   * @param mostOpen of how many keys the histories stay open
   * @param keptBytes of how many bytes of entries that never change copies are kept, and of how
   *     many of what was seen of keys' own entries
   * @param timeout after which a request that fails is not repeated any more
   */
  public Keyed(
      AtomicObjectFactory factory,
      VersionSpace<T> space,
      Limits limits,
      Supplier<CompletionStage<byte[]>> highestCut,
      boolean deltas,
      int mostOpen,
      long keptBytes,
      Duration timeout) {
    this.space = space;
    this.factory = factory;
    this.highestCut = highestCut;
    this.sequential = new Histories(factory, space, limits, mostOpen, 0, null);
    this.histories = new Histories(factory, space, limits, mostOpen, keptBytes, sequential);
    Entries entries = new Entries(factory.store(), factory.clockwork(), keptBytes, timeout);
    this.reading = new Reading<>(histories, histories, entries, space);
    this.sequentialReading = new Reading<>(sequential, histories, entries, space);
    this.additions = new Additions<>(factory, reading, space, timeout);
    this.caretaker = new Caretaker<>(histories, entries, space, limits.kappa(), deltas);
  }

  /** Adds a version, looking into a shard first where that is needed. */
  public CompletionStage<Added> add(String name, Addition addition) {
    return cutOfNew(name)
        .thenCompose(cut -> add(name, cut.map(addition::cut).orElse(addition), Reading.ATTEMPTS));
  }

  /** The highest cut, after a history was made: it is to learn of it. Empty if it was there. */
  private CompletionStage<Optional<byte[]>> cutOfNew(String name) {
    return histories
        .isNew(name)
        .thenCompose(
            isNew ->
                isNew
                    ? highestCut.get().thenApply(Optional::of)
                    : CompletableFuture.completedFuture(Optional.empty()));
  }

  private CompletionStage<Added> add(String name, Addition addition, int attempts) {
    return histories
        .<Added>change(name, h -> h.add(addition))
        .thenCompose(
            added ->
                switch (added.result()) {
                  case LOOK_FIRST -> looked(name, addition, added, attempts);
                  case ADMIT_FIRST ->
                      highestCut.get().thenCompose(cut -> add(name, addition.cut(cut), attempts));
                  default -> tended(name, added);
                });
  }

  private CompletionStage<Added> looked(String name, Addition addition, Added added, int attempts) {
    Ref shard = Objects.requireNonNull(added.shard(), "a shard is named that is to be looked into");
    if (attempts == 0) {
      return CompletableFuture.failedFuture(new ReadingFailedException());
    }
    return reading
        .holds(added.id(), shard, space.read(added.version()))
        .thenCompose(
            holds ->
                holds.orElse(false)
                    ? CompletableFuture.completedFuture(added.exists())
                    : add(
                        name,
                        holds.isPresent() ? addition.without(added.id(), shard.number()) : addition,
                        attempts - 1));
  }

  /** What is to be moved out is moved beside the caller's way, unless too much waits for it. */
  private CompletionStage<Added> tended(String name, Added added) {
    if (!added.planned()) {
      return CompletableFuture.completedFuture(added);
    }
    CompletionStage<Void> done = caretaker.tend(name);
    return added.full()
        ? done.handle((nothing, failure) -> added)
        : CompletableFuture.completedFuture(added);
  }

  /** Adds them in one step, up to the first that is refused. None is to need a look. */
  public CompletionStage<List<Added>> addAll(String name, List<Addition> additions) {
    return cutOfNew(name)
        .thenCompose(
            cut -> cut.isPresent() ? allAfter(name, additions, cut.get()) : all(name, additions));
  }

  private CompletionStage<List<Added>> allAfter(String name, List<Addition> additions, byte[] cut) {
    return all(name, additions.stream().map(a -> a.cut(cut)).toList());
  }

  private CompletionStage<List<Added>> all(String name, List<Addition> additions) {
    return histories
        .<List<Added>>change(name, h -> h.addAll(additions))
        .thenCompose(
            all ->
                all.get(0).result() == Result.ADMIT_FIRST
                    ? highestCut.get().thenCompose(cut -> allAfter(name, additions, cut))
                    : tended(name, all.get(all.size() - 1)).thenApply(last -> all));
  }

  /** What a query finds. */
  public CompletionStage<Found<T>> find(String name, Query query, boolean withValues) {
    return find(name, query, withValues, Age.NOW);
  }

  /** What a query finds, or found not long ago. */
  public CompletionStage<Found<T>> find(String name, Query query, boolean withValues, Age age) {
    Reading<T> source = age == Age.NOW ? reading : sequentialReading;
    return source.read(name, query, withValues).thenApply(this::found);
  }

  /** Walks over the names of histories that begin so; waits for the store. */
  public CloseableIterator<String> names(String prefix) {
    return Keys.names(factory.store(), prefix);
  }

  /** The same, after which no version at {@code floor} or below is added. */
  public CompletionStage<Found<T>> raise(String name, T floor, Query query) {
    return reading.raise(name, space.write(floor), query).thenApply(this::found);
  }

  private Found<T> found(Reading.Page<T> page) {
    Look look = page.look();
    if (look == null) {
      return new Found<>(
          false, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(), List.of(), 0);
    }
    return new Found<>(
        true,
        page.items().stream().map(Item::version).toList(),
        page.items().stream().map(Item::sequence).toList(),
        page.values(),
        read(look.floor()),
        read(look.horizon()),
        look.maxima().stream().map(space::read).toList(),
        look.lastSequence());
  }

  private Optional<T> read(byte @Nullable [] version) {
    return version == null ? Optional.empty() : Optional.of(space.read(version));
  }

  /**
   * Makes a call that changes a history in another way, and tends to it afterwards: as far as that
   * goes, for the call has been made.
   */
  public <R> CompletionStage<R> change(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    return histories
        .<R>change(name, call)
        .thenCompose(result -> caretaker.settle(name).handle((done, failure) -> result));
  }

  /** The same, and fails if that did not go: then it may be repeated. */
  public <R> CompletionStage<R> settled(
      String name, Function<? super HistoryCalls, ? extends R> call) {
    return histories
        .<R>change(name, call)
        .thenCompose(result -> caretaker.settle(name).thenApply(done -> result));
  }

  /** Moves out what is to be moved out, and removes what nothing refers to. */
  public CompletionStage<Void> tend(String name) {
    return caretaker.settle(name);
  }

  /** What is added to them. */
  public Additions<T> additions() {
    return additions;
  }

  /** Closes what is open, without waiting. */
  public void close() {
    additions.close();
    histories.close();
    sequential.close();
  }
}
