package io.ensemble.versioning.drive;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.runtime.RequestRetrier;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.history.VersionQuery;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/** The additions to histories, for subscriptions. Thread-safe. */
public final class VersionFeed<T> {

  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(3);

  /**
   * Additions to a key in their order, at one moment.
   *
   * @param history the id of this history; a key that was disposed of and created again has another
   *     id
   * @param horizon all versions below it were removed
   * @param lastSequence the number of versions ever added
   */
  public record Page<T>(
      String history, List<Addition<T>> items, Optional<T> horizon, long lastSequence) {

    /** Copies the list. */
    public Page {
      items = List.copyOf(items);
    }
  }

  /**
   * A version that was added.
   *
   * @param value empty if the version is a removal
   */
  public record Addition<T>(T version, long sequence, Optional<byte[]> value) {}

  /** The state of a key's entry: while it is equal, no version was added. */
  public record Stamp(UUID birth, long step) {}

  private final ObjectStore store;
  private final TimedExecutor timedExecutor;
  private final VersionReader<T> versionReader;
  private final VersionSpace<T> space;
  private final Duration timeout;
  private final RequestRetrier requestRetrier;
  private final StoreEventHub storeEventHub;

  VersionFeed(
      AtomicObjectFactory factory,
      VersionReader<T> versionReader,
      VersionSpace<T> space,
      Duration timeout) {
    this.store = factory.store();
    this.timedExecutor = factory.clockwork();
    this.versionReader = versionReader;
    this.space = space;
    this.timeout = timeout;
    Duration request = timeout.compareTo(LONGEST_REQUEST) < 0 ? timeout : LONGEST_REQUEST;
    this.requestRetrier = new RequestRetrier(timedExecutor, request);
    this.storeEventHub = new StoreEventHub(store, timedExecutor.executor());
  }

  /** The executor and timer of the factory. */
  public TimedExecutor clockwork() {
    return timedExecutor;
  }

  /**
   * The first additions after a sequence number; empty if the key has no history.
   *
   * @param after the sequence number
   */
  public CompletionStage<Optional<Page<T>>> page(String name, long after, int limit) {
    return CompletableFuture.completedFuture(VersionQuery.ALL.after(after).limit(limit))
        .thenCompose(
            query -> versionReader.read(name, query, true)) // An exception also fails the stage.
        .thenApply(this::page);
  }

  private Optional<Page<T>> page(VersionReader.Page<T> read) {
    if (read.look() == null) {
      return Optional.empty();
    }
    List<Addition<T>> items = new ArrayList<>();
    for (int i = 0; i < read.items().size(); i++) {
      IndexEntry<T> item = read.items().get(i);
      items.add(new Addition<>(item.version(), item.sequence(), read.values().get(i)));
    }
    byte[] horizon = Objects.requireNonNull(read.look()).horizon();
    return Optional.of(
        new Page<>(
            read.look().id(),
            items,
            horizon == null ? Optional.empty() : Optional.of(space.read(horizon)),
            read.look().lastSequence()));
  }

  /** Costs one read of the store; empty if there is no entry under the name. */
  public CompletionStage<Optional<Stamp>> stamp(String name) {
    return requestRetrier
        .<Optional<ObjectStore.Entry>>asked(
            () -> store.read(ObjectKeys.root(name)), timedExecutor.now() + timeout.toNanos())
        .thenApplyAsync(found -> found.map(VersionFeed::stamp), timedExecutor.executor());
  }

  private static Stamp stamp(ObjectStore.Entry entry) {
    ObjectRoot root = RootCodec.root(entry.value());
    return new Stamp(root.birth(), root.sequence());
  }

  /** Iterates over the names of histories with this prefix; blocks on the store. */
  public CloseableIterator<String> names(String prefix) {
    return ObjectKeys.names(store, prefix);
  }

  /**
   * Reports names of objects that may have changed, as far as the store has events, until {@link
   * #removeListener}. Called on threads of the store, which {@code names} must not block.
   */
  public void addListener(Consumer<String> names, Runnable closed) {
    storeEventHub.add(new StoreEventHub.ChangedNameListener(names, closed));
  }

  /** Ends the reports to {@code names}, if there are any. */
  public void removeListener(Consumer<String> names) {
    storeEventHub.remove(names);
  }

  /** Registers for events again, if the registration has failed. */
  public void renew() {
    storeEventHub.renew();
  }

  /** Ends all reports begun by {@link #addListener}. */
  void close() {
    storeEventHub.close();
  }
}
