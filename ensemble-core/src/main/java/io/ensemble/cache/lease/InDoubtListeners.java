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

  private static final class Registration {
    private final Consumer<InDoubtWrites<Bytes>> listener;
    private Runnable end = () -> {};

    Registration(Consumer<InDoubtWrites<Bytes>> listener) {
      this.listener = listener;
    }
  }

  // Both fields are guarded by this object's lock.
  private final List<Registration> all = new ArrayList<>();
  private CacheEngine present;

  InDoubtListeners(CacheEngine first) {
    present = first;
  }

  synchronized Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    Registration registration = new Registration(listener);
    all.add(registration);
    begin(registration);
    return () -> end(registration);
  }

  private void begin(Registration registration) {
    registration.end =
        present instanceof WindowedEngine windowedEngine
            ? windowedEngine.listen(registration.listener)
            : () -> {};
  }

  private synchronized void end(Registration registration) {
    if (all.remove(registration)) {
      registration.end.run();
    }
  }

  /** From now on {@code next} finds the writes. */
  synchronized void follow(CacheEngine next) {
    present = next;
    all.forEach(this::begin);
  }
}
