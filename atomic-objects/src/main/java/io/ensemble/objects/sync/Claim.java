package io.ensemble.objects.sync;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One request for permits, until they are granted or it is given up. It asks once, and again only
 * where it does not know whether it asked, by the same name; then it looks. Whoever looks and sees
 * a holder that has been silent for too long takes the permits from it.
 *
 * <p>The lease counts from before the last call that found them not granted yet, since nobody can
 * have seen the hold earlier than that.
 */
final class Claim extends Wait<PermitState, Optional<Grant>> {

  private static final int LOOKS_IN_A_LEASE = 4;

  private final Claims claims;
  private final int permits;
  private final String note;
  private final boolean waits;
  private volatile UUID request = UUID.randomUUID();
  private volatile boolean mayHaveSome;
  private boolean inLine;
  private long notGrantedAt;

  Claim(Claims claims, int permits, String note, Duration atMost) {
    super(claims.link(), atMost);
    this.claims = claims;
    this.permits = permits;
    this.note = note;
    this.waits = nanos(atMost) > 0;
    this.notGrantedAt = claims.link().now();
  }

  @Override
  CompletionStage<Optional<Optional<Grant>>> look() {
    long begun = claims.link().now();
    UUID asked = request;
    mayHaveSome = true;
    CompletionStage<Standing> standing =
        inLine
            ? claims.link().call(s -> s.look(asked))
            : claims.link().call(s -> s.ask(asked, permits, claims.leaseMillis(), waits, note));
    return standing.thenCompose(s -> heard(s, begun));
  }

  private CompletionStage<Optional<Optional<Grant>>> heard(Standing standing, long begun) {
    if (standing.place() == Standing.Place.HOLDS) {
      return held(standing.token());
    }
    boolean wasInLine = inLine;
    inLine = standing.place() == Standing.Place.WAITS;
    mayHaveSome = inLine;
    notGrantedAt = begun;
    if (wasInLine && !inLine) {
      request = UUID.randomUUID(); // it was granted, and taken away before we saw it
      return look();
    }
    List<Holder> overdue = claims.sightings().overdue(standing.holders(), claims.link().now());
    return overdue.isEmpty()
        ? CompletableFuture.completedFuture(Optional.empty())
        : expired(overdue).thenCompose(done -> look());
  }

  private CompletionStage<?> expired(List<Holder> overdue) {
    CompletionStage<?> all = CompletableFuture.completedFuture(null);
    for (Holder h : overdue) {
      all =
          all.thenCompose(
              done -> claims.link().call(s -> s.expire(h.request(), h.token(), h.renewals())));
    }
    return all;
  }

  private CompletionStage<Optional<Optional<Grant>>> held(long token) {
    Optional<Grant> grant = claims.granted(request, token, notGrantedAt);
    if (grant.isEmpty()) {
      claims.giveBack(request);
      request = UUID.randomUUID();
      inLine = false;
      notGrantedAt = claims.link().now();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return CompletableFuture.completedFuture(Optional.of(grant));
  }

  @Override
  boolean mayBeThere(PermitState told) {
    return told.look(request).place() != Standing.Place.WAITS;
  }

  /** Looks often enough that what is granted meanwhile is not half over when that is seen. */
  @Override
  long nanosToNext() {
    long fresh = claims.leaseNanos() / LOOKS_IN_A_LEASE;
    return Math.min(fresh, claims.sightings().nanosToNext(claims.link().now()));
  }

  @Override
  CompletionStage<Optional<Grant>> timeUp() {
    CompletionStage<?> left =
        mayHaveSome ? claims.giveBack(request) : CompletableFuture.completedFuture(null);
    return left.handle((done, failure) -> Optional.empty());
  }

  @Override
  void abandoned() {
    if (mayHaveSome) {
      claims.giveBack(request);
    }
  }

  @Override
  void undelivered(Optional<Grant> grant) {
    grant.ifPresent(Grant::releaseAsync);
  }
}
