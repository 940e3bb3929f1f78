package io.ensemble.objects.sync;

import io.ensemble.objects.sync.permit.PermitHolder;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.permit.PermitStatus;
import io.ensemble.objects.sync.permit.QueueMembership;
import io.ensemble.objects.sync.permit.QueueRound;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * One request of a holder with an id. Other processes may make the same request at the same time.
 * So the end of this wait removes the place in the queue, but never a lock that was granted.
 */
final class NamedPermitRequest extends AsyncWait<PermitState, OptionalLong> {

  private static final int LOOKS_IN_A_LEASE = 4;

  private final NamedLock lock;
  private final UUID holder;
  private final long leaseMillis;
  private final boolean waits;
  private final QueueMembership queueMembership;
  private boolean queued;

  NamedPermitRequest(NamedLock lock, UUID holder, Duration lease, Duration atMost) {
    super(lock.link(), atMost);
    this.lock = lock;
    this.holder = holder;
    this.leaseMillis = lease.toMillis();
    this.waits = nanos(atMost) > 0;
    this.queueMembership = new QueueMembership(lock.waiters());
  }

  @Override
  CompletionStage<Optional<OptionalLong>> readCondition() {
    return queued || queueMembership.needsRoom()
        ? lock.link().call(s -> s.look(holder)).thenCompose(this::handleQueuedStatus)
        : callAndHandle(s -> s.claim(holder, 1, leaseMillis, waits));
  }

  private CompletionStage<Optional<OptionalLong>> callAndHandle(
      Function<PermitState, PermitStatus> call) {
    return lock.link().call(call).thenCompose(this::handleStatus);
  }

  /** A grant that was made some time ago is renewed, so that its lease counts from now. */
  private CompletionStage<Optional<OptionalLong>> handleQueuedStatus(PermitStatus status) {
    if (status.place() == PermitStatus.Place.HOLDS) {
      return callAndHandle(s -> s.alive(holder));
    }
    if (queued && status.place() == PermitStatus.Place.NONE) {
      queued = false; // granted and expired, or removed, before this process saw it
      return readCondition();
    }
    return handleStatus(status);
  }

  private CompletionStage<Optional<OptionalLong>> handleStatus(PermitStatus status) {
    if (status.place() == PermitStatus.Place.HOLDS) {
      return CompletableFuture.completedFuture(Optional.of(NamedLock.token(status)));
    }
    queued = status.place() == PermitStatus.Place.WAITS;
    long now = lock.link().now();
    List<PermitHolder> overdue = lock.sightings().overdue(status.holders(), now);
    return overdue.isEmpty()
        ? performQueueDuty(status.round(), now)
        : expireHolders(overdue).thenCompose(done -> readCondition());
  }

  private CompletionStage<Optional<OptionalLong>> performQueueDuty(QueueRound round, long now) {
    switch (queueMembership.duty(round, queued, now)) {
      case SHOW_ITSELF -> {
        return callAndHandle(s -> s.stay(holder));
      }
      case END_ROUND -> {
        return lock.link()
            .run(s -> s.endRound(holder, round.number()))
            .thenCompose(done -> readCondition());
      }
      default -> {
        return !waits || queued ? keepWaiting() : waitForRoom(round);
      }
    }
  }

  private CompletionStage<Optional<OptionalLong>> waitForRoom(QueueRound round) {
    if (queueMembership.isRefused(round)) {
      return CompletableFuture.failedFuture(QueueMembership.refusal(lock.link()));
    }
    if (round.isFull()) {
      queueMembership.recordFull(round);
      return keepWaiting();
    }
    queueMembership.recordRoom();
    return readCondition();
  }

  private static CompletionStage<Optional<OptionalLong>> keepWaiting() {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  private CompletionStage<?> expireHolders(List<PermitHolder> overdue) {
    CompletionStage<?> all = CompletableFuture.completedFuture(null);
    for (PermitHolder one : overdue) {
      all =
          all.thenCompose(
              done -> lock.link().call(s -> s.expire(one.request(), one.token(), one.renewals())));
    }
    return all;
  }

  @Override
  boolean isReadWorthwhile(PermitState reported) {
    PermitStatus status = reported.look(holder);
    return status.place() != PermitStatus.Place.WAITS
        && !(queueMembership.needsRoom() && status.round().isFull());
  }

  /** Reads often enough to show in each round of the queue that this process is alive. */
  @Override
  long nanosToNext() {
    long often = leaseMillis * 1_000_000 / LOOKS_IN_A_LEASE;
    return Math.min(often, lock.sightings().nanosToNext(lock.link().now()));
  }

  @Override
  CompletionStage<OptionalLong> handleTimeout() {
    if (queueMembership.needsRoom()) {
      return CompletableFuture.failedFuture(QueueMembership.refusal(lock.link()));
    }
    return waits
        ? lock.link().call(s -> s.leave(holder)).thenApply(NamedLock::token)
        : CompletableFuture.completedFuture(OptionalLong.empty());
  }

  /**
   * Leaves the queue, which may fail. To continue to wait, a caller repeats the request with the
   * same id.
   */
  @Override
  void withdraw() {
    if (!waits || lock.link().isClosed()) {
      return;
    }
    try {
      lock.link().call(s -> s.leave(holder));
    } catch (RuntimeException closed) {
      // Then the queued request is granted in its turn, and expires for lack of renewals.
    }
  }

  @Override
  void discardResult(OptionalLong token) {}
}
