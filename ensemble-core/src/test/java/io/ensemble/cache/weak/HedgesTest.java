package io.ensemble.cache.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class HedgesTest {

  private static final Duration DELAY = Duration.ofMillis(50);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final Hedges hedges = new Hedges(scheduler, DELAY.toNanos());
  private final List<String> looked = new ArrayList<>();

  @Test
  void onlySlowOperationsGetASecondLookAndEachAfterItsOwnDelay() {
    CompletableFuture<Void> quick = new CompletableFuture<>();
    hedges.add(quick, () -> looked.add("quick"));
    scheduler.run(Duration.ofMillis(10));
    hedges.add(new CompletableFuture<>(), () -> looked.add("slow"));
    quick.complete(null);

    scheduler.run(Duration.ofMillis(49));
    assertThat(looked).isEmpty();
    scheduler.run(Duration.ofMillis(1));
    assertThat(looked).containsExactly("slow");
  }

  @Test
  void theTimerFiresOnceInADelayHoweverManyOperationsThereAre() {
    for (int i = 0; i < 1_000; i++) {
      CompletableFuture<Void> quick = new CompletableFuture<>();
      hedges.add(quick, () -> looked.add("quick"));
      quick.complete(null);
      scheduler.run(Duration.ofMillis(1));
    }

    assertThat(looked).isEmpty();
    assertThat(scheduler.scheduled()).isBetween(19L, 21L);
  }
}
