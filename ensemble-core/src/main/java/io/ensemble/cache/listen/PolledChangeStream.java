package io.ensemble.cache.listen;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeStream;
import java.util.Optional;

/** A stream of changes that can be read without waiting. */
public interface PolledChangeStream<K, V> extends ChangeStream<K, V> {

  /**
   * The next event, if there is one. Only while no call of {@link #next} or {@link #nextAsync} is
   * under way; fails as they do.
   */
  Optional<ChangeEvent<K, V>> poll();

  /**
   * Calls {@code arrival} on the scheduler whenever an event may have come, or the end of the
   * stream. To be set once, before the first poll.
   */
  void onArrival(Runnable arrival);
}
