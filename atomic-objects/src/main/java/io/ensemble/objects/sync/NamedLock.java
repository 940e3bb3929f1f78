package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.permit.HolderFailureDetector;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.objects.sync.permit.PermitStatus;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A lock whose holders have names of their own, so that any process can ask, renew and give back
 * for any of them: what services are made of that keep nothing. It is the {@link FencedLock} of the
 * same name, with which it shares its line and its tokens. Nobody renews in the background: who
 * holds it has to, within the lease, counted from before it sent the last request that succeeded.
 * Every call may be repeated, by the same name, whatever became of it. Thread-safe.
 *
 * <p>Who waits through this handle, or tries again, notes since when a holder has been silent, and
 * takes the lock from one that was for its lease and a tenth: so handles are to be kept.
 */
public final class NamedLock implements AutoCloseable {

  private final FactoryLink<PermitState> link;
  private final HolderFailureDetector holderFailureDetector = new HolderFailureDetector();
  private final Set<CompletableFuture<?>> waits = ConcurrentHashMap.newKeySet();

  NamedLock(FactoryLink<PermitState> link) {
    this.link = link;
  }

  /**
   * One that holds, as others see it.
   *
   * @param lease how long it may be silent
   */
  public record Holding(long token, Duration lease) {}

  FactoryLink<PermitState> link() {
    return link;
  }

  HolderFailureDetector sightings() {
    return holderFailureDetector;
  }

  /**
   * The lock for {@code holder}, as soon as it is its turn. One call if it is free. One that holds
   * it already renews it, and has the same token.
   *
   * @param holder a name that nobody else uses
   * @param lease how long it may be silent from now on, also if it holds the lock already
   * @return the fencing token; empty if it was not to be had in time. Fails with {@link
   *     io.ensemble.objects.AtomicObjectException} if the store does not answer; then it may be
   *     held, or come to be, until its lease ends, and asking again tells
   */
  public CompletionStage<OptionalLong> acquireAsync(UUID holder, Duration lease, Duration atMost) {
    CompletableFuture<OptionalLong> claimed =
        new NamedPermitRequest(this, holder, lease, atMost).begin();
    waits.add(claimed);
    claimed.whenComplete((token, failure) -> waits.remove(claimed));
    return claimed.copy();
  }

  /** Shows that a holder lives. The token; empty if it does not hold the lock any more. */
  public CompletionStage<OptionalLong> renewAsync(UUID holder) {
    return link.call(s -> s.alive(holder)).thenApply(NamedLock::token);
  }

  static OptionalLong token(PermitStatus permitStatus) {
    return permitStatus.place() == PermitStatus.Place.HOLDS
        ? OptionalLong.of(permitStatus.token())
        : OptionalLong.empty();
  }

  /** Gives it back, or leaves the line. Whether it was held. */
  public CompletionStage<Boolean> releaseAsync(UUID holder) {
    return link.call(s -> s.release(holder));
  }

  /** Who holds it: nobody, or one. One read. */
  public CompletionStage<List<Holding>> holdersAsync() {
    return link.call(s -> s.holders())
        .thenApply(
            all ->
                all.stream()
                    .map(one -> new Holding(one.token(), Duration.ofMillis(one.leaseMillis())))
                    .toList());
  }

  /** Ends waits through this handle; whoever holds the lock goes on holding it. */
  @Override
  public void close() {
    List.copyOf(waits).forEach(wait -> wait.cancel(false));
    link.close();
  }
}
