package io.ensemble.cache;

import io.ensemble.InDoubtWrites;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.function.Consumer;

/** An engine that may acknowledge writes that a fail-over drops. */
public interface WindowedEngine {

  /**
   * The state of the window.
   *
   * @param writes acknowledged, or about to be, and not known to be held by a majority
   * @param oldest age of the oldest of these writes; zero when there is none
   * @param doubtful acknowledged writes of former epochs with unknown fate
   */
  record State(int writes, Duration oldest, int doubtful) {}

  /** The present state of the window. */
  State window();

  /**
   * Reports in-doubt writes to {@code listener}, one report at a time, on the scheduler. An
   * exception of the listener is logged.
   *
   * @return removes the listener
   */
  Runnable listen(Consumer<InDoubtWrites<Bytes>> listener);
}
