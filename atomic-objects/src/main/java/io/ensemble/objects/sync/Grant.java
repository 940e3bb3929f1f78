package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.AtomicObjectException.CallUnknown;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.UnwrappedCause;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A lock, permits or leadership as granted to a process. The holder is the owner of this object;
 * threads do not matter. A grant has a lease, which is renewed in the background at a third of its
 * length until the grant is released.
 *
 * <p>If renewals fail for the length of a lease, the grant is lost. This time is measured by the
 * clock of this process, from the beginning of the last renewal that succeeded. A grant is lost
 * here before another process can get it, unless a clock runs more than a tenth faster than
 * another.
 *
 * <p>The process may still detect the loss late, for example after a long pause. Work that must
 * never overlap has to check the {@link #token}. Thread-safe.
 */
public final class Grant implements AutoCloseable {

  private enum State {
    HELD,
    RELEASED,
    LOST
  }

  private static final int RENEWALS_IN_A_LEASE = 3;
  private static final int ATTEMPTS_IN_A_LEASE = 10;

  private final PermitClient permitClient;
  private final UUID request;
  private final long token;
  private final List<Runnable> onLost = new ArrayList<>();
  private State state = State.HELD;
  private long since;
  private Runnable renewal = () -> {};
  private Runnable end = () -> {};
  private @Nullable CompletionStage<Boolean> released;

  Grant(PermitClient permitClient, UUID request, long token, long since) {
    this.permitClient = permitClient;
    this.request = request;
    this.token = token;
    this.since = since;
  }

  /** Starts the renewals. */
  synchronized void begin() {
    renewAt(since + permitClient.leaseNanos() / RENEWALS_IN_A_LEASE);
    watch();
  }

  /**
   * The fencing token: larger than that of each earlier grant under the same name. Shared grants
   * that were made at the same moment have the same token.
   *
   * @throws LeaseLostException if the grant is no longer held
   */
  public long token() {
    checkHeld();
    return token;
  }

  /** Whether the grant is held, as far as this process can determine. */
  public boolean isHeld() {
    synchronized (this) {
      if (state != State.HELD) {
        return false;
      }
      if (permitClient.link().now() - since < permitClient.leaseNanos()) {
        return true;
      }
    }
    lose();
    return false;
  }

  /**
   * Returns if the grant is held.
   *
   * @throws LeaseLostException if not
   */
  public void checkHeld() {
    if (!isHeld()) {
      throw new LeaseLostException(
          isReleased() ? "it was released" : "its lease ended", token, permitClient.toString());
    }
  }

  /**
   * Runs {@code callback}, once and on the executor of the factory, when the grant is lost;
   * immediately if it was lost before. Does not run if the grant is released first.
   */
  public void onLost(Runnable callback) {
    synchronized (this) {
      if (state != State.LOST) {
        onLost.add(callback);
        return;
      }
    }
    permitClient.link().after(0, callback);
  }

  /**
   * Releases the grant. Costs one call. Other grants are not affected; a second release returns the
   * same result.
   *
   * @return whether the grant was held until now; false if it had been lost
   * @throws io.ensemble.objects.AtomicObjectException if the store does not respond; the grant is
   *     no longer held here, and other requests get it at the latest when its lease is over
   */
  public boolean release() {
    return BlockingWait.toItsEnd(releaseAsync());
  }

  /** As {@link #release}, without waiting. */
  public CompletionStage<Boolean> releaseAsync() {
    boolean held = isHeld();
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    CompletionStage<Boolean> told = answer.copy();
    synchronized (this) {
      if (released != null) {
        return released;
      }
      released = told;
      if (held && state == State.HELD) {
        state = State.RELEASED;
        stop();
      } else {
        held = false;
      }
    }
    if (!held) {
      answer.complete(false);
    } else {
      giveBack(answer);
    }
    return told;
  }

  /** Releases the grant, as {@link #release}; does not return whether it had been lost. */
  @Override
  public void close() {
    release();
  }

  /** If the first attempt took effect, a second one finds no grant, which is harmless. */
  private void giveBack(CompletableFuture<Boolean> answer) {
    permitClient.ended(this);
    permitClient
        .giveBack(request)
        .whenComplete(
            (held, failure) -> {
              if (failure == null) {
                answer.complete(held);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  /** The failure of a holder that has lost this grant. */
  LeaseLostException lost() {
    return new LeaseLostException("its lease ended", token, permitClient.toString());
  }

  private synchronized boolean isReleased() {
    return state == State.RELEASED;
  }

  private synchronized void renewAt(long nanos) {
    if (state == State.HELD) {
      renewal =
          permitClient.link().after(Math.max(0, nanos - permitClient.link().now()), this::renew);
    }
  }

  private void renew() {
    if (!isHeld()) {
      return;
    }
    long begun = permitClient.link().now();
    CompletionStage<Boolean> renewed;
    try {
      renewed = permitClient.link().call(s -> s.renew(request));
    } catch (RuntimeException e) {
      renewed = CompletableFuture.failedFuture(e);
    }
    renewed.whenComplete(
        (held, failure) ->
            handleRenewal(begun, held, failure == null ? null : UnwrappedCause.of(failure)));
  }

  private void handleRenewal(long begun, @Nullable Boolean held, @Nullable Throwable failure) {
    if (failure instanceof CallRefused || failure instanceof CallUnknown) {
      renewAt(permitClient.link().now() + permitClient.leaseNanos() / ATTEMPTS_IN_A_LEASE);
    } else if (failure != null || held == null || !held) {
      lose();
    } else {
      synchronized (this) {
        since = begun - since > 0 ? begun : since;
      }
      renewAt(begun + permitClient.leaseNanos() / RENEWALS_IN_A_LEASE);
    }
  }

  /** Detects the end of the lease even while a renewal has no response. */
  private void watch() {
    if (!isHeld()) {
      return;
    }
    synchronized (this) {
      if (state == State.HELD) {
        long left = since + permitClient.leaseNanos() - permitClient.link().now();
        end = permitClient.link().after(Math.max(0, left), this::watch);
      }
    }
  }

  private void lose() {
    List<Runnable> told;
    synchronized (this) {
      if (state != State.HELD) {
        return;
      }
      state = State.LOST;
      stop();
      told = List.copyOf(onLost);
      onLost.clear();
    }
    permitClient.ended(this);
    told.forEach(callback -> permitClient.link().after(0, callback));
    permitClient.giveBack(request); // others need not wait for the lease to expire
  }

  private synchronized void stop() {
    renewal.run();
    end.run();
  }

  @Override
  public synchronized String toString() {
    return "Grant[" + permitClient + ", token " + token + ", " + state + "]";
  }
}
