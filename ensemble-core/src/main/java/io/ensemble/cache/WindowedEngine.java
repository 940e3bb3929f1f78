package io.ensemble.cache;

import io.ensemble.InDoubtWrites;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.function.Consumer;

/** An engine that may acknowledge writes which a fail-over drops. */
public interface WindowedEngine {

  /**
   * What is in the window.
   *
   * @param writes acknowledged, or about to be, and not known to be held by a majority
   * @param oldest how old the oldest of them is; zero when there is none
   * @param doubtful of former epochs, acknowledged and of unknown fate
   */
  record State(int writes, Duration oldest, int doubtful) {}

  /** What is in the window now. */
  State window();

  /**
   * Has {@code listener} told of doubtful writes, one report at a time, on the scheduler. What it
   * throws is logged.
   *
   * @return ends that
   */
  Runnable listen(Consumer<InDoubtWrites<Bytes>> listener);
}
