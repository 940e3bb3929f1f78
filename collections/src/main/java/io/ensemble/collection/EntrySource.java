package io.ensemble.collection;

import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A cache or a snapshot as an iteration sees it. Implemented by this module and by its tests.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public interface EntrySource<K, V> {

  /** A scan of encoded keys, for one caller at a time. */
  interface KeyScan extends AutoCloseable {

    /**
     * The next keys; empty at the end. Each key that is present throughout is returned at least
     * once, and absent keys may be returned. After a failure the scan is closed.
     */
    CompletionStage<List<Bytes>> next();

    @Override
    void close();
  }

  /** A name for messages. */
  String name();

  /** A number that distinguishes this source in positions. */
  long number();

  /** The slices by which about {@code wanted} readers, or more, divide the entries. */
  List<CollectionSlice> slices(int wanted);

  /**
   * Begins a pass over the keys of a slice: scans that together find each key. A key of another
   * range of hashes may be among them. Sends nothing yet.
   *
   * @throws SlicesOutdatedException if there is no such slice now
   */
  List<KeyScan> scans(CollectionSlice slice);

  /** The present value; empty if the key is absent. Never waits for longer than its deadline. */
  CompletionStage<Optional<V>> read(Bytes key);

  /** Decodes a key. */
  K key(Bytes key);

  /** Waits for a call of this source; throws its failure unwrapped. */
  <T> T await(Supplier<? extends CompletionStage<T>> call);

  /**
   * How long a pass that fails is tried again, beyond the number of attempts. Zero for the attempts
   * only.
   */
  default Duration patience() {
    return Duration.ZERO;
  }

  /** The time since any moment, in nanoseconds. */
  default long nanos() {
    return 0;
  }

  /** Waits before a pass is tried again. */
  default void pause(Duration length) {}

  /**
   * Whether a pass or a read that failed may succeed when it is repeated: a failure of the store,
   * not a mistake of the caller.
   */
  boolean isRepeatable(RuntimeException failure);
}
