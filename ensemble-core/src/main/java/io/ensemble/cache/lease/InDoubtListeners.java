package io.ensemble.cache.lease;

import io.ensemble.InDoubtWrites;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The listeners for in-doubt writes, independent of the engine that finds the writes. A closed
 * engine reports the writes left in its window, so its listeners stay registered. Thread-safe.
 */
final class InDoubtListeners {

  private static final class Listening {
    private final Consumer<InDoubtWrites<Bytes>> listener;
    private Runnable end = () -> {};

    Listening(Consumer<InDoubtWrites<Bytes>> listener) {
      this.listener = listener;
    }
  }

  // Both fields are guarded by this object's lock.
  private final List<Listening> all = new ArrayList<>();
  private CacheEngine present;

  InDoubtListeners(CacheEngine first) {
    present = first;
  }

  synchronized Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    Listening listening = new Listening(listener);
    all.add(listening);
    begin(listening);
    return () -> end(listening);
  }

  private void begin(Listening listening) {
    listening.end =
        present instanceof WindowedEngine windowedEngine
            ? windowedEngine.listen(listening.listener)
            : () -> {};
  }

  private synchronized void end(Listening listening) {
    if (all.remove(listening)) {
      listening.end.run();
    }
  }

  /** From now on {@code next} finds the writes. */
  synchronized void follow(CacheEngine next) {
    present = next;
    all.forEach(this::begin);
  }
}
