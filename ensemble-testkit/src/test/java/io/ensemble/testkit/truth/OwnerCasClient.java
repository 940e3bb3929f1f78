package io.ensemble.testkit.truth;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A client that sends requests to the owner of the key, through the adapter of the strong modes.
 */
record OwnerCasClient(SiteStore store, Scheduler scheduler) implements CasClient {

  @Override
  public Optional<Found> read(Bytes key) {
    return waited(store.read(key, deadline()))
        .map(entry -> new Found(ChainValue.decoded(entry.value().array()), entry.version()));
  }

  @Override
  public boolean putIfAbsent(Bytes key, ChainValue chainValue) {
    return waited(store.putIfAbsent(key, chainValue.encoded(), deadline()));
  }

  @Override
  public boolean replace(Bytes key, long version, ChainValue chainValue) {
    return waited(store.replace(key, version, chainValue.encoded(), deadline()));
  }

  private Deadline deadline() {
    return Deadline.after(Duration.ofSeconds(5), scheduler);
  }

  /** Waits for a stage, which ends by its deadline. */
  private static <T> T waited(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
