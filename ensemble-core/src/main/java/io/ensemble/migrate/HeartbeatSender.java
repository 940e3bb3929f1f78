package io.ensemble.migrate;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Writes a mover's heartbeat, with its progress, into the record once a lease while the mover owns
 * the change. A failed heartbeat is skipped: the failure detector allows for more than one.
 * Thread-safe.
 */
final class HeartbeatSender implements AutoCloseable {

  private final PeriodicTask heartbeats;

  /**
   * @param heartbeat writes the next heartbeat into the record, if the mover owns the change
   */
  HeartbeatSender(
      String cache,
      Scheduler scheduler,
      long intervalNanos,
      Supplier<CompletionStage<?>> heartbeat) {
    heartbeats =
        new PeriodicTask(
            "heartbeat of a migration of " + cache,
            scheduler,
            Duration.ofNanos(intervalNanos),
            heartbeat);
  }

  /**
   * The heartbeat of a mover of a cache's configuration.
   *
   * @param changeListener receives each record that the mover owns
   */
  HeartbeatSender(
      ChangeOwnership ownership,
      CopyProgress copyProgress,
      Consumer<ConfigurationChange> changeListener) {
    this(
        ownership.cache(),
        ownership.moverContext().scheduler(),
        ownership.moverContext().rules().beatNanos(),
        () ->
            ownership
                .readCurrent()
                .thenCompose(now -> sendHeartbeat(ownership, copyProgress, changeListener, now)));
  }

  void start() {
    heartbeats.start();
  }

  private static CompletionStage<?> sendHeartbeat(
      ChangeOwnership ownership,
      CopyProgress copyProgress,
      Consumer<ConfigurationChange> changeListener,
      StoredDefinition now) {
    Optional<ConfigurationChange> ownChange = now.change().filter(ownership::isOwnerOf);
    if (ownChange.isEmpty()) {
      return CompletableFuture.completedFuture(now);
    }
    changeListener.accept(ownChange.get());
    ConfigurationChange beatenChange =
        ownChange.get().beaten(copyProgress.currentKeys(), copyProgress.maxKeysBefore());
    return ownership.moverContext().definitions().replace(now.with(Optional.of(beatenChange)));
  }

  @Override
  public void close() {
    heartbeats.close();
  }
}
