package io.ensemble.objects.sync;

import io.ensemble.objects.sync.permit.PermitHolder;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.permit.PermitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One request of a holder with an id. Other processes may make the same request at the same time.
 * So the end of this wait removes the place in the queue, but never a lock that was granted.
 */
final class NamedPermitRequest extends AsyncWait<PermitState, OptionalLong> {

  private final NamedLock lock;
  private final UUID holder;
  private final long leaseMillis;
  private final boolean waits;
  private boolean inLine;

  NamedPermitRequest(NamedLock lock, UUID holder, Duration lease, Duration atMost) {
    super(lock.link(), atMost);
    this.lock = lock;
    this.holder = holder;
    this.leaseMillis = lease.toMillis();
    this.waits = nanos(atMost) > 0;
  }

  @Override
  CompletionStage<Optional<OptionalLong>> look() {
    return inLine
        ? lock.link().call(s -> s.look(holder)).thenCompose(this::seenInLine)
        : lock.link().call(s -> s.claim(holder, 1, leaseMillis, waits)).thenCompose(this::heard);
  }

  /** A grant that was made some time ago is renewed, so that its lease counts from now. */
  private CompletionStage<Optional<OptionalLong>> seenInLine(PermitStatus permitStatus) {
    return permitStatus.place() == PermitStatus.Place.HOLDS
        ? lock.link().call(s -> s.alive(holder)).thenCompose(this::heard)
        : heard(permitStatus);
  }

  private CompletionStage<Optional<OptionalLong>> heard(PermitStatus permitStatus) {
    if (permitStatus.place() == PermitStatus.Place.HOLDS) {
      return CompletableFuture.completedFuture(Optional.of(NamedLock.token(permitStatus)));
    }
    inLine = permitStatus.place() == PermitStatus.Place.WAITS;
    List<PermitHolder> overdue =
        lock.sightings().overdue(permitStatus.holders(), lock.link().now());
    return overdue.isEmpty()
        ? CompletableFuture.completedFuture(Optional.empty())
        : expired(overdue).thenCompose(done -> look());
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
    return told.look(holder).place() != PermitStatus.Place.WAITS;
  }

  @Override
  long nanosToNext() {
    return lock.sightings().nanosToNext(lock.link().now());
  }

  @Override
  CompletionStage<OptionalLong> timeUp() {
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
