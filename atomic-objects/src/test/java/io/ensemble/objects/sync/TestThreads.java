package io.ensemble.objects.sync;

import java.util.concurrent.Executor;

/** Threads for blocking calls in tests. */
final class TestThreads {

  static final Executor ONE_EACH =
      task -> {
        Thread thread = new Thread(task, "test-worker");
        thread.setDaemon(true);
        thread.start();
      };

  private TestThreads() {}
}
