package io.ensemble.objects.sync;

import io.ensemble.objects.sync.permit.PermitHolder;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.permit.PermitStatus;
import io.ensemble.objects.sync.permit.QueueMembership;
import io.ensemble.objects.sync.permit.QueueRound;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One request for permits, until they are granted or the request ends. It asks once, and repeats
 * the request with the same id only if its outcome is unknown; afterwards it reads the object. A
 * request that sees a holder without a renewal for too long takes the permits from that holder.
 * While it waits, it shows that its process is alive, and removes the requests of dead processes.
 *
 * <p>The lease counts from before the last call that found the permits not granted yet, since no
 * process can have seen the grant earlier than that.
 */
final class PermitRequest extends AsyncWait<PermitState, Optional<Grant>> {

  private static final int LOOKS_IN_A_LEASE = 4;

  private final PermitClient permitClient;
  private final int permits;
  private final String note;
  private final boolean waits;
  private final QueueMembership queueMembership;
  private volatile UUID request;
  private volatile boolean mayHaveEffect;

  /** A grant that a report has shown for certain. */
  private record ReportedGrant(UUID request, long token) {}

  private volatile @Nullable ReportedGrant reportedGrant;

  private boolean queued;
  private long notGrantedAt;

  PermitRequest(PermitClient permitClient, int permits, String note, Duration atMost) {
    super(permitClient.link(), atMost);
    this.permitClient = permitClient;
    this.request = permitClient.newRequest();
    this.permits = permits;
    this.note = note;
    this.waits = nanos(atMost) > 0;
    this.queueMembership = new QueueMembership(permitClient.waiters());
    this.notGrantedAt = permitClient.link().now();
  }

  @Override
  CompletionStage<Optional<Optional<Grant>>> readCondition() {
    UUID asked = request;
    ReportedGrant reported = reportedGrant;
    reportedGrant = null;
    if (reported != null && reported.request().equals(asked)) {
      return toGrant(reported.token());
    }
    if (queued || queueMembership.needsRoom()) {
      return callAndHandle(s -> s.look(asked));
    }
    mayHaveEffect = true;
    return callAndHandle(s -> s.ask(asked, permits, permitClient.leaseMillis(), waits, note));
  }

  private CompletionStage<Optional<Optional<Grant>>> callAndHandle(
      Function<PermitState, PermitStatus> call) {
    long begun = permitClient.link().now();
    return permitClient.link().call(call).thenCompose(s -> handleStatus(s, begun));
  }

  private CompletionStage<Optional<Optional<Grant>>> handleStatus(PermitStatus status, long begun) {
    if (status.place() == PermitStatus.Place.HOLDS) {
      return toGrant(status.token());
    }
    boolean wasQueued = queued;
    queued = status.place() == PermitStatus.Place.WAITS;
    mayHaveEffect = queued;
    notGrantedAt = begun;
    if (wasQueued && !queued) {
      request =
          permitClient.newRequest(); // granted and expired, or removed, before this process saw it
      return readCondition();
    }
    long now = permitClient.link().now();
    List<PermitHolder> overdue = permitClient.sightings().overdue(status.holders(), now);
    return overdue.isEmpty()
        ? performQueueDuty(status.round(), now)
        : expireHolders(overdue).thenCompose(done -> readCondition());
  }

  private CompletionStage<Optional<Optional<Grant>>> performQueueDuty(QueueRound round, long now) {
    UUID asked = request;
    switch (queueMembership.duty(round, queued, now)) {
      case SHOW_ITSELF -> {
        return callAndHandle(s -> s.stay(asked));
      }
      case END_ROUND -> {
        return permitClient
            .link()
            .run(s -> s.endRound(asked, round.number()))
            .thenCompose(done -> readCondition());
      }
      default -> {
        return !waits || queued ? keepWaiting() : waitForRoom(round);
      }
    }
  }

  private CompletionStage<Optional<Optional<Grant>>> waitForRoom(QueueRound round) {
    if (queueMembership.isRefused(round)) {
      return CompletableFuture.failedFuture(QueueMembership.refusal(permitClient.link()));
    }
    if (round.isFull()) {
      queueMembership.recordFull(round);
      return keepWaiting();
    }
    queueMembership.recordRoom();
    return readCondition();
  }

  private static CompletionStage<Optional<Optional<Grant>>> keepWaiting() {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  private CompletionStage<?> expireHolders(List<PermitHolder> overdue) {
    CompletionStage<?> all = CompletableFuture.completedFuture(null);
    for (PermitHolder h : overdue) {
      all =
          all.thenCompose(
              done ->
                  permitClient.link().call(s -> s.expire(h.request(), h.token(), h.renewals())));
    }
    return all;
  }

  private CompletionStage<Optional<Optional<Grant>>> toGrant(long token) {
    Optional<Grant> grant = permitClient.granted(request, token, notGrantedAt);
    if (grant.isEmpty()) {
      permitClient.giveBack(request);
      request = permitClient.newRequest();
      queued = false;
      notGrantedAt = permitClient.link().now();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return CompletableFuture.completedFuture(Optional.of(grant));
  }

  @Override
  boolean isReadWorthwhile(PermitState reported) {
    return isReadWorthwhile(reported.look(request));
  }

  @Override
  boolean isReadWorthwhile(PermitState reported, boolean isCertain) {
    UUID asked = request;
    PermitStatus status = reported.look(asked);
    if (isCertain && status.place() == PermitStatus.Place.HOLDS) {
      reportedGrant = new ReportedGrant(asked, status.token());
    }
    return isReadWorthwhile(status);
  }

  private boolean isReadWorthwhile(PermitStatus status) {
    return status.place() != PermitStatus.Place.WAITS
        && !(queueMembership.needsRoom() && status.round().isFull());
  }

  /** Reads often enough that a grant made meanwhile is not half over when it is seen. */
  @Override
  long nanosToNext() {
    long fresh = permitClient.leaseNanos() / LOOKS_IN_A_LEASE;
    return Math.min(fresh, permitClient.sightings().nanosToNext(permitClient.link().now()));
  }

  @Override
  CompletionStage<Optional<Grant>> handleTimeout() {
    if (queueMembership.needsRoom()) {
      return CompletableFuture.failedFuture(QueueMembership.refusal(permitClient.link()));
    }
    CompletionStage<?> left =
        mayHaveEffect ? permitClient.giveBack(request) : CompletableFuture.completedFuture(null);
    return left.handle((done, failure) -> Optional.empty());
  }

  @Override
  void withdraw() {
    if (mayHaveEffect) {
      permitClient.giveBack(request);
    }
  }

  @Override
  void discardResult(Optional<Grant> grant) {
    grant.ifPresent(Grant::releaseAsync);
  }
}
