package io.ensemble.cache.trust;

import io.ensemble.DoubtfulWrites;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Windowed;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Who is told of doubtful writes, whatever engine finds them. A former engine tells of what is left
 * in its window when it is closed, so its listeners stay. Thread-safe.
 */
final class FollowingListeners {

  private static final class Listening {
    private final Consumer<DoubtfulWrites<Bytes>> listener;
    private Runnable end = () -> {};

    Listening(Consumer<DoubtfulWrites<Bytes>> listener) {
      this.listener = listener;
    }
  }

  // Both belong to this object's lock.
  private final List<Listening> all = new ArrayList<>();
  private CacheEngine present;

  FollowingListeners(CacheEngine first) {
    present = first;
  }

  synchronized Runnable listen(Consumer<DoubtfulWrites<Bytes>> listener) {
    Listening listening = new Listening(listener);
    all.add(listening);
    begin(listening);
    return () -> end(listening);
  }

  private void begin(Listening listening) {
    listening.end =
        present instanceof Windowed windowed ? windowed.listen(listening.listener) : () -> {};
  }

  private synchronized void end(Listening listening) {
    if (all.remove(listening)) {
      listening.end.run();
    }
  }

  /** Another engine finds them from now on. */
  synchronized void follow(CacheEngine next) {
    present = next;
    all.forEach(this::begin);
  }
}
