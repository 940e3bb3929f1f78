package io.ensemble.testkit.truth;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** As the strong modes go: to the node that owns the key, by the adapter that they use. */
record OwnerDoor(SiteStore store, Scheduler scheduler) implements Door {

  @Override
  public Optional<Found> read(Bytes key) {
    return waited(store.read(key, deadline()))
        .map(entry -> new Found(Step.decoded(entry.value().array()), entry.version()));
  }

  @Override
  public boolean putIfAbsent(Bytes key, Step step) {
    return waited(store.putIfAbsent(key, step.encoded(), deadline()));
  }

  @Override
  public boolean replace(Bytes key, long version, Step step) {
    return waited(store.replace(key, version, step.encoded(), deadline()));
  }

  private Deadline deadline() {
    return Deadline.after(Duration.ofSeconds(5), scheduler);
  }

  /** It ends by the deadline. */
  private static <T> T waited(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
