package io.ensemble.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.jcache.KeyLocks.HeldLocks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.cache.CacheException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The locks of keys in one process. */
@Timeout(60)
class KeyLocksTest {

  @Test
  void aWaitForAnotherThreadHasABound() throws Exception {
    KeyLocks locks = new KeyLocks(Duration.ofMillis(20));
    HeldLocks held = locks.lockAll(List.of("a", "b"));

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> elsewhere(() -> locks.lockAll(List.of("b", "c")).close()))
        .withCauseInstanceOf(CacheException.class);

    held.close();
    elsewhere(() -> locks.lockAll(List.of("a", "b", "c")).close());
  }

  @Test
  void aFailedLockReleasesThoseThatItHas() throws Exception {
    KeyLocks locks = new KeyLocks(Duration.ofMillis(20));
    List<Integer> all = IntStream.range(0, 256).boxed().toList();
    HeldLocks last = locks.lock(255);

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> elsewhere(() -> locks.lockAll(all).close()));

    last.close();
    elsewhere(() -> locks.lockAll(all).close());
  }

  @Test
  void aThreadMayLockAKeyAgain() throws Exception {
    KeyLocks locks = new KeyLocks(Duration.ofMillis(20));

    HeldLocks outer = locks.lock("a");
    locks.lock("a").close();

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> elsewhere(() -> locks.lock("a").close()));
    outer.close();
    elsewhere(() -> locks.lock("a").close());
  }

  private static void elsewhere(Runnable run) throws Exception {
    CompletableFuture<Void> end = new CompletableFuture<>();
    Thread other =
        new Thread(
            () -> {
              try {
                run.run();
                end.complete(null);
              } catch (RuntimeException e) {
                end.completeExceptionally(e);
              }
            });
    other.start();
    assertThat(end.get(30, TimeUnit.SECONDS)).isNull();
  }
}
