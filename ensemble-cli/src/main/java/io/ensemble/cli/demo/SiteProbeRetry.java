package io.ensemble.cli.demo;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Retries a request while its site cannot be reached. A manager that has seen a site fail sends it
 * no requests until a probe succeeds, about 1 s after the site is back.
 */
final class SiteProbeRetry {

  private static final long PAUSE_MILLIS = 100;

  private SiteProbeRetry() {}

  /**
   * The result of {@code request}. Fails as the request does, in case of an unreachable site or of
   * too few sites after {@code longest}.
   */
  static <T> T untilReached(Supplier<T> request, Duration longest) throws InterruptedException {
    long begin = System.nanoTime();
    CountDownLatch never = new CountDownLatch(1);
    while (true) {
      try {
        return request.get();
      } catch (SiteException | QuorumUnavailableException failure) {
        if (!isAbsence(failure) || System.nanoTime() - begin > longest.toNanos()) {
          throw failure;
        }
      }
      never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static boolean isAbsence(RuntimeException failure) {
    return !(failure instanceof SiteException site)
        || site.reason() == SiteException.Reason.UNREACHABLE
        || site.reason() == SiteException.Reason.TIMED_OUT;
  }
}
