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
  private boolean inLine;

  NamedPermitRequest(NamedLock lock, UUID holder, Duration lease, Duration atMost) {
    super(lock.link(), atMost);
    this.lock = lock;
    this.holder = holder;
    this.leaseMillis = lease.toMillis();
    this.waits = nanos(atMost) > 0;
    this.queueMembership = new QueueMembership(lock.waiters());
  }

  @Override
  CompletionStage<Optional<OptionalLong>> look() {
    return inLine || queueMembership.needsRoom()
        ? lock.link().call(s -> s.look(holder)).thenCompose(this::seenInLine)
        : called(s -> s.claim(holder, 1, leaseMillis, waits));
  }

  private CompletionStage<Optional<OptionalLong>> called(Function<PermitState, PermitStatus> call) {
    return lock.link().call(call).thenCompose(this::heard);
  }

  /** A grant that was made some time ago is renewed, so that its lease counts from now. */
  private CompletionStage<Optional<OptionalLong>> seenInLine(PermitStatus permitStatus) {
    if (permitStatus.place() == PermitStatus.Place.HOLDS) {
      return called(s -> s.alive(holder));
    }
    if (inLine && permitStatus.place() == PermitStatus.Place.NONE) {
      inLine = false; // granted and expired, or removed, before this process saw it
      return look();
    }
    return heard(permitStatus);
  }

  private CompletionStage<Optional<OptionalLong>> heard(PermitStatus permitStatus) {
    if (permitStatus.place() == PermitStatus.Place.HOLDS) {
      return CompletableFuture.completedFuture(Optional.of(NamedLock.token(permitStatus)));
    }
    inLine = permitStatus.place() == PermitStatus.Place.WAITS;
    long now = lock.link().now();
    List<PermitHolder> overdue = lock.sightings().overdue(permitStatus.holders(), now);
    return overdue.isEmpty()
        ? queued(permitStatus.round(), now)
        : expired(overdue).thenCompose(done -> look());
  }

  private CompletionStage<Optional<OptionalLong>> queued(QueueRound round, long now) {
    switch (queueMembership.duty(round, inLine, now)) {
      case SHOW_ITSELF -> {
        return called(s -> s.stay(holder));
      }
      case END_ROUND -> {
        return lock.link().run(s -> s.endRound(holder, round.number())).thenCompose(done -> look());
      }
      default -> {
        return !waits || inLine ? nothingYet() : withoutPlace(round);
      }
    }
  }

  private CompletionStage<Optional<OptionalLong>> withoutPlace(QueueRound round) {
    if (queueMembership.isRefused(round)) {
      return CompletableFuture.failedFuture(refusal());
    }
    if (round.isFull()) {
      queueMembership.foundFull(round);
      return nothingYet();
    }
    queueMembership.foundRoom();
    return look();
  }

  private WaitQueueFullException refusal() {
    return new WaitQueueFullException(PermitState.MOST_WAITING, lock.link());
  }

  private static CompletionStage<Optional<OptionalLong>> nothingYet() {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  private CompletionStage<?> expired(List<PermitHolder> overdue) {
    CompletionStage<?> all = CompletableFuture.completedFuture(null);
    for (PermitHolder one : overdue) {
      all =
          all.thenCompose(
              done -> lock.link().call(s -> s.expire(one.request(), one.token(), one.renewals())));
    }
    return all;
  }

  @Override
  boolean mayBeThere(PermitState told) {
    PermitStatus standing = told.look(holder);
    return standing.place() != PermitStatus.Place.WAITS
        && !(queueMembership.needsRoom() && standing.round().isFull());
  }

  /** Reads often enough to show in each round of the queue that this process is alive. */
  @Override
  long nanosToNext() {
    long often = leaseMillis * 1_000_000 / LOOKS_IN_A_LEASE;
    return Math.min(often, lock.sightings().nanosToNext(lock.link().now()));
  }

  @Override
  CompletionStage<OptionalLong> timeUp() {
    if (queueMembership.needsRoom()) {
      return CompletableFuture.failedFuture(refusal());
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
  void abandoned() {
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
  void undelivered(OptionalLong token) {}
}
