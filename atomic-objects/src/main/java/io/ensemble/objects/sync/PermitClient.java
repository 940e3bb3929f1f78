package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.AtomicObjectException.CallUnknown;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.sync.link.ObjectLink;
import io.ensemble.objects.sync.permit.HolderFailureDetector;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.permit.WaiterFailureDetector;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The requests and grants of one handle for the permits of an object. */
final class PermitClient {

  /** The number of attempts to release permits; if all fail, the end of the lease releases them. */
  private static final int ATTEMPTS = 5;

  private final ObjectLink<PermitState> link;
  private final long leaseMillis;
  private final HolderFailureDetector holderFailureDetector = new HolderFailureDetector();
  private final WaiterFailureDetector waiterFailureDetector = new WaiterFailureDetector();
  private final Set<CompletableFuture<?>> waits = ConcurrentHashMap.newKeySet();
  private final Set<CompletableFuture<?>> givingBack = ConcurrentHashMap.newKeySet();
  private final Set<Grant> grants = ConcurrentHashMap.newKeySet();

  PermitClient(ObjectLink<PermitState> link, Duration lease) {
    this.link = link;
    this.leaseMillis = lease.toMillis();
  }

  ObjectLink<PermitState> link() {
    return link;
  }

  /**
   * An id for a request. The upper half is that of the session, so that a holder becomes the
   * combiner; the lower half is random.
   */
  UUID newRequest() {
    return new UUID(
        link.session().getMostSignificantBits(), UUID.randomUUID().getLeastSignificantBits());
  }

  long leaseMillis() {
    return leaseMillis;
  }

  long leaseNanos() {
    return leaseMillis * 1_000_000;
  }

  HolderFailureDetector sightings() {
    return holderFailureDetector;
  }

  WaiterFailureDetector waiters() {
    return waiterFailureDetector;
  }

  /**
   * Empty if the permits were not available in time; without time, if they are not available now.
   */
  CompletableFuture<Optional<Grant>> claim(int permits, String note, Duration atMost) {
    CompletableFuture<Optional<Grant>> claimed =
        new PermitRequest(this, permits, note, atMost).begin();
    waits.add(claimed);
    claimed.whenComplete((grant, failure) -> waits.remove(claimed));
    return claimed;
  }

  /** As {@link #claim}, but blocks; an interrupted caller has no grant. */
  Optional<Grant> claimed(int permits, String note, Duration atMost) throws InterruptedException {
    CompletableFuture<Optional<Grant>> claim = claim(permits, note, atMost);
    try {
      return BlockingWait.of(claim);
    } catch (InterruptedException e) {
      if (!claim.cancel(false)) {
        claim.thenAccept(g -> g.ifPresent(Grant::releaseAsync)); // Granted just now.
      }
      throw e;
    }
  }

  /** The grant of a request, if its lease, counted from {@code from}, is not over yet. */
  Optional<Grant> granted(UUID request, long token, long from) {
    Grant grant = new Grant(this, request, token, from);
    if (link.now() - from >= leaseNanos()) {
      return Optional.empty();
    }
    grants.add(grant);
    grant.begin();
    return Optional.of(grant);
  }

  void ended(Grant grant) {
    grants.remove(grant);
  }

  /** Ends a request, granted or not. Fails as the first attempt does. */
  CompletionStage<Boolean> giveBack(UUID request) {
    CompletableFuture<Boolean> given = new CompletableFuture<>();
    givingBack.add(given);
    given.whenComplete((held, failure) -> givingBack.remove(given));
    giveBack(request, given, ATTEMPTS);
    return given;
  }

  private void giveBack(UUID request, CompletableFuture<Boolean> given, int attempts) {
    released(request)
        .whenComplete(
            (held, failure) -> {
              if (failure == null) {
                given.complete(held);
                return;
              }
              given.completeExceptionally(UnwrappedCause.of(failure));
              if (attempts > 1 && isWorthRepeating(UnwrappedCause.of(failure))) {
                link.after(leaseNanos() / ATTEMPTS, () -> giveBack(request, given, attempts - 1));
              }
            });
  }

  private CompletionStage<Boolean> released(UUID request) {
    try {
      return link.call(s -> s.release(request));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private boolean isWorthRepeating(Throwable failure) {
    return !link.isClosed() && (failure instanceof CallRefused || failure instanceof CallUnknown);
  }

  /** Releases everything, and ends waits as if they were cancelled. */
  void close() {
    List.copyOf(waits).forEach(w -> w.cancel(false));
    List.copyOf(grants).forEach(Grant::releaseAsync);
    for (CompletableFuture<?> each : List.copyOf(givingBack)) {
      BlockingWait.toItsEnd(each.handle((held, failure) -> null));
    }
    link.close();
  }

  @Override
  public String toString() {
    return link.toString();
  }
}
