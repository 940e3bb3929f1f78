package io.ensemble.cache.listen;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.listen.ChangeMerger;
import io.ensemble.listen.ListenOutput;
import io.ensemble.listen.ListenPosition;
import io.ensemble.listen.ListenProgress;
import io.ensemble.partition.StableHash;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The changes of one cache, as sites hold keys and values. One reader at a time; thread-safe. */
public final class EncodedChangeStream implements AutoCloseable {

  private final ChangeFeed feed;
  private final ChangeBuffer buffer;
  private final boolean hasValues;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();

  /**
   * Opens a stream; it begins with the writes that follow {@link #ready}.
   *
   * @param cache the name of the cache
   * @param cacheNumber a number of the cache, different for another cache of the same name
   * @param sources the present source, see {@link io.ensemble.cache.CacheEngine#changes}
   * @param selection the stored keys to follow
   * @param hasValues whether changes have values
   * @param from the position after which the stream begins; null for now
   */
  public static EncodedChangeStream open(
      String cache,
      long cacheNumber,
      Supplier<Optional<ChangeSource>> sources,
      KeySelection selection,
      boolean hasValues,
      @Nullable ListenPosition from,
      ListenLimits limits,
      Scheduler scheduler) {
    long number = cacheNumber + selection.number();
    boolean isOfAllKeys = from != null && from.cache() == cacheNumber; // So it covers these keys.
    if (from != null && from.cache() != number && !isOfAllKeys) {
      throw new IllegalArgumentException(
          "the position is one of another cache, of a deleted cache of that name, or of a stream of"
              + " other keys or another prefix; cache="
              + cache);
    }
    return new EncodedChangeStream(
        cache,
        number,
        sources,
        selection,
        hasValues,
        from,
        limits,
        scheduler,
        new ChangeMerger<>(
            0,
            ChangeFeed.values(),
            key -> StableHash.of(key.array()),
            limits.maxKeys(),
            limits.maxPending(),
            limits.maxBufferedBytes(),
            from));
  }

  EncodedChangeStream(
      String cache,
      long positionNumber,
      Supplier<Optional<ChangeSource>> sources,
      KeySelection selection,
      boolean hasValues,
      @Nullable ListenPosition from,
      ListenLimits limits,
      Scheduler scheduler,
      ChangeMerger<Bytes, Payload> merger) {
    this.hasValues = hasValues;
    buffer =
        new ChangeBuffer(
            scheduler, limits, new ListenProgress(positionNumber, 0, limits.maxListed(), from));
    feed =
        new ChangeFeed(
            cache, sources, selection, scheduler, limits, merger, this::pass, this::failed);
    feed.start();
  }

  private void pass(List<ListenOutput<Bytes, Payload>> outputs) {
    buffer.add(
        hasValues ? outputs : outputs.stream().map(EncodedChangeStream::withoutValue).toList());
    boolean isCovered =
        !ready.isDone()
            && outputs.stream()
                .anyMatch(one -> one instanceof ListenOutput.Covered<Bytes, Payload>);
    if (isCovered) {
      ready.completeAsync(() -> null, feed.scheduler());
    }
  }

  /** A value is dropped before the change waits for the reader. */
  private static ListenOutput<Bytes, Payload> withoutValue(ListenOutput<Bytes, Payload> output) {
    if (!(output instanceof ListenOutput.Shown<Bytes, Payload> shown)) {
      return output;
    }
    Change<Bytes, Payload> change = shown.change();
    return new ListenOutput.Shown<>(
        new Change<>(change.kind(), change.key(), null, change.stamp()),
        shown.keyHash(),
        shown.withdrawal());
  }

  private void failed(Throwable failure) {
    buffer.fail(failure);
    ready.completeExceptionally(failure);
  }

  /** Completes when every later write will be shown, overwritten or covered by a gap. */
  public CompletionStage<Void> ready() {
    return ready.copy();
  }

  /**
   * The next event; empty if none comes within {@code timeout}. Fails once the stream has ended.
   *
   * @throws IllegalStateException if another call is under way
   */
  public CompletionStage<Optional<ChangeEvent<Bytes, Payload>>> next(Duration timeout) {
    return buffer.next(timeout);
  }

  /** As {@link ChangeBuffer#poll}. */
  public Optional<ChangeEvent<Bytes, Payload>> poll() {
    return buffer.poll();
  }

  /** As {@link ChangeBuffer#onArrival}. */
  public void onArrival(Runnable arrival) {
    buffer.onArrival(arrival);
  }

  /** As {@link ChangeBuffer#withdraw}. */
  public boolean withdraw(CompletionStage<Optional<ChangeEvent<Bytes, Payload>>> call) {
    return buffer.withdraw(call);
  }

  /** The position after the last event that the reader has received. */
  public ListenPosition position() {
    return buffer.position();
  }

  /** Ends the stream. */
  @Override
  public void close() {
    feed.close();
    failed(new IllegalStateException("the stream of changes is closed"));
  }
}
