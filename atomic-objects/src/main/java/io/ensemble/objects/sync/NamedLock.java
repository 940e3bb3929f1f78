package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.permit.HolderFailureDetector;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.permit.PermitStatus;
import io.ensemble.objects.sync.permit.WaiterFailureDetector;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A lock whose holders have ids of their own, so that any process can acquire, renew and release
 * the lock for any holder; stateless services use it. It is the {@link FencedLock} of the same
 * name, with the same queue and the same tokens. Ensemble does not renew such a lock in the
 * background. The holder must renew it within the lease, counted from before it sent the last
 * request that succeeded. Every call may be repeated with the same id, whatever its outcome was.
 * Thread-safe.
 *
 * <p>A handle that waits for the lock, or retries, records since when a holder has not renewed its
 * lease. After 1.1 times the length of the lease it takes the lock from that holder. So handles
 * should be kept open.
 */
public final class NamedLock implements AutoCloseable {

  private final FactoryLink<PermitState> link;
  private final HolderFailureDetector holderFailureDetector = new HolderFailureDetector();
  private final WaiterFailureDetector waiterFailureDetector = new WaiterFailureDetector();
  private final Set<CompletableFuture<?>> waits = ConcurrentHashMap.newKeySet();

  NamedLock(FactoryLink<PermitState> link) {
    this.link = link;
  }

  /**
   * A holder, as other processes see it.
   *
   * @param lease how long it may be without a renewal
   */
  public record Holding(long token, Duration lease) {}

  FactoryLink<PermitState> link() {
    return link;
  }

  HolderFailureDetector sightings() {
    return holderFailureDetector;
  }

  WaiterFailureDetector waiters() {
    return waiterFailureDetector;
  }

  /**
   * Acquires the lock for {@code holder}, as soon as it is its turn. Costs one call if the lock is
   * free. A holder that has the lock already renews it, and gets the same token.
   *
   * @param holder an id that no other holder uses
   * @param lease how long the holder may be without a renewal from now on, also if it has the lock
   *     already
   * @return the fencing token; empty if the lock was not available in time. Fails with {@link
   *     io.ensemble.objects.AtomicObjectException} if the store does not respond; the lock may then
   *     be held, or become held, until its lease ends, and a repeated call shows this
   */
  public CompletionStage<OptionalLong> acquireAsync(UUID holder, Duration lease, Duration atMost) {
    CompletableFuture<OptionalLong> claimed =
        new NamedPermitRequest(this, holder, lease, atMost).begin();
    waits.add(claimed);
    claimed.whenComplete((token, failure) -> waits.remove(claimed));
    return claimed.copy();
  }

  /** Renews the lease of a holder. Returns the token; empty if it no longer holds the lock. */
  public CompletionStage<OptionalLong> renewAsync(UUID holder) {
    return link.call(s -> s.alive(holder)).thenApply(NamedLock::token);
  }

  static OptionalLong token(PermitStatus permitStatus) {
    return permitStatus.place() == PermitStatus.Place.HOLDS
        ? OptionalLong.of(permitStatus.token())
        : OptionalLong.empty();
  }

  /** Releases the lock, or leaves the queue. Returns whether the lock was held. */
  public CompletionStage<Boolean> releaseAsync(UUID holder) {
    return link.call(s -> s.release(holder));
  }

  /**
   * Takes the lock from the holder with this token, whose process may be alive: an administrator's
   * unlock. The next waiting request gets the lock. The former holder detects the loss when it
   * renews its lease, and may act until then. A resource that checks tokens rejects the former
   * holder from the moment at which it has seen the returned token, or that of a later holder.
   *
   * <p>Costs one call. May be repeated: a repetition affects no later holder, but returns empty.
   *
   * @param token the token of the holder, as {@link #holdersAsync} returns it
   * @return a token that is larger than {@code token}, and not larger than that of any later
   *     holder; empty if no holder has {@code token}. Fails with {@link
   *     io.ensemble.objects.AtomicObjectException} if the store does not respond; {@link
   *     #holdersAsync} then shows whether the holder was removed
   */
  public CompletionStage<OptionalLong> revokeAsync(long token) {
    return link.call(s -> s.revoke(token))
        .thenApply(fence -> fence == 0 ? OptionalLong.empty() : OptionalLong.of(fence));
  }

  /** The holders of the lock: none or one. Costs one read. */
  public CompletionStage<List<Holding>> holdersAsync() {
    return link.call(s -> s.holders())
        .thenApply(
            all ->
                all.stream()
                    .map(one -> new Holding(one.token(), Duration.ofMillis(one.leaseMillis())))
                    .toList());
  }

  /** Ends the waits of this handle; a holder of the lock keeps it. */
  @Override
  public void close() {
    List.copyOf(waits).forEach(wait -> wait.cancel(false));
    link.close();
  }
}
