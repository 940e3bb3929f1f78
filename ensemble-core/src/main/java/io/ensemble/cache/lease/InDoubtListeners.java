package io.ensemble.cache.lease;

import io.ensemble.InDoubtWrites;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Who is told of doubtful writes, whatever engine finds them. A former engine tells of what is left
 * in its window when it is closed, so its listeners stay. Thread-safe.
 */
final class InDoubtListeners {

  private static final class Listening {
    private final Consumer<InDoubtWrites<Bytes>> listener;
    private Runnable end = () -> {};

    Listening(Consumer<InDoubtWrites<Bytes>> listener) {
      this.listener = listener;
    }
  }

  // Both belong to this object's lock.
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

  /** Another engine finds them from now on. */
  synchronized void follow(CacheEngine next) {
    present = next;
    all.forEach(this::begin);
  }
}
