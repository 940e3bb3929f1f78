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

/** What was added to histories, for those who follow them. Thread-safe. */
public final class VersionFeed<T> {

  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(3);

  /**
   * What was added to a key, in the order in which it was, as of one moment.
   *
   * @param history by which this history is known: a key that was disposed of has another one
   * @param horizon below which nothing is any more
   * @param lastSequence how many versions were ever added
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
   * @param value empty if the key was removed with it
   */
  public record Addition<T>(T version, long sequence, Optional<byte[]> value) {}

  /** Of what a key's entry was: while it is the same, nothing was added. */
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

  /** What things run on. */
  public TimedExecutor clockwork() {
    return timedExecutor;
  }

  /**
   * The first versions of those that were added after one; empty if the key has no history.
   *
   * @param after its sequence number
   */
  public CompletionStage<Optional<Page<T>>> page(String name, long after, int limit) {
    return CompletableFuture.completedFuture(VersionQuery.ALL.after(after).limit(limit))
        .thenCompose(
            query -> versionReader.read(name, query, true)) // Also what it throws fails it.
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

  /** One read of the store; empty if there is nothing under the name. */
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

  /** Walks over the names of histories that begin so; waits for the store. */
  public CloseableIterator<String> names(String prefix) {
    return ObjectKeys.names(store, prefix);
  }

  /**
   * Tells names of objects that may have changed, as far as the store does, until that is undone.
   * Called on the store's threads, which it must not hold up.
   */
  public void hear(Consumer<String> names, Runnable closed) {
    storeEventHub.add(new StoreEventHub.Hearer(names, closed));
  }

  /** As far as it was asked for. */
  public void unhear(Consumer<String> names) {
    storeEventHub.remove(names);
  }

  /** Asks the store again for events, if that has failed. */
  public void renew() {
    storeEventHub.renew();
  }

  /** Ends what was begun by {@link #hear}. */
  void close() {
    storeEventHub.close();
  }
}
