package io.ensemble.site;

import io.ensemble.detect.PhiAccrualDetector;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.SiteException.Reason;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one site that are in progress. A limited number of requests is in flight, a few
 * more wait in order for their turn, and beyond that a request fails immediately. So nothing grows
 * while a site is down or hangs. A caller waits until its deadline and no longer; the slot of its
 * request becomes free only when the site is done with it. While a {@link CircuitBreaker} suspects
 * the site, requests fail immediately except its probes.
 *
 * <p>Prioritized requests have slots and a queue of their own, so that the renewal of a lease does
 * not wait behind data until the lease is lost.
 *
 * <p>Deadlines share one timer, set for the nearest of them: a caller that waits for each response
 * sets a timer once in a deadline's length, not once a request. A request that its client has lost
 * returns its slot, and the window renews the connection to the site. Thread-safe; promises are
 * completed outside the lock.
 */
final class RequestWindow {

  private static final long LOST_NANOS = 3_000_000_000L;

  private static final Logger log = LoggerFactory.getLogger(RequestWindow.class);

  private final String site;
  private final SiteLimits limits;
  private final Scheduler scheduler;
  private final Runnable renew;

  // The fields below are guarded by this object's lock.
  private final RequestSlots data;
  private final RequestSlots prioritized;
  private final Set<SiteRequest<?>> awaited =
      new LinkedHashSet<>(); // in flight, the caller still waits
  private final Set<SiteRequest<?>> abandoned =
      new LinkedHashSet<>(); // in flight, the caller no longer waits
  private final CircuitBreaker breaker;
  private boolean draining;
  private boolean closed;
  private Scheduler.@Nullable Timer timer;
  private long timerAt;
  private long renewalAt;

  /**
   * @param renew renews the connection to the site, which has been silent; returns immediately
   * @param phiAccrualDetector is notified of all responses, perhaps by several windows
   */
  RequestWindow(
      String site,
      SiteLimits limits,
      Scheduler scheduler,
      Runnable renew,
      PhiAccrualDetector phiAccrualDetector) {
    this.breaker = new CircuitBreaker(phiAccrualDetector);
    this.renew = renew;
    this.site = site;
    this.limits = limits;
    this.data = new RequestSlots(limits);
    this.prioritized = new RequestSlots(limits.ofPrioritized());
    this.scheduler = scheduler;
    renewalAt = scheduler.nanos();
  }

  synchronized int inFlight() {
    return data.inFlight() + prioritized.inFlight();
  }

  synchronized int waiting() {
    return data.waiting.size() + prioritized.waiting.size();
  }

  synchronized SuspicionLevel health() {
    return breaker.health(scheduler.nanos());
  }

  synchronized boolean isSuspected() {
    return breaker.isSuspected();
  }

  /**
   * Makes {@code call} when its turn comes, unless {@code deadline} comes first. A rejection is in
   * the stage immediately. Every other outcome completes the stage on {@link Scheduler#answers()}
   * of the submitting thread, whichever thread the response comes on.
   */
  <T> CompletionStage<T> submit(Deadline deadline, Supplier<CompletionStage<T>> call) {
    return submit(data, deadline, call);
  }

  /** As {@link #submit}, in the slots of prioritized requests. */
  <T> CompletionStage<T> submitPrioritized(Deadline deadline, Supplier<CompletionStage<T>> call) {
    return submit(prioritized, deadline, call);
  }

  private <T> CompletionStage<T> submit(
      RequestSlots slots, Deadline deadline, Supplier<CompletionStage<T>> call) {
    SiteRequest<T> request = new SiteRequest<>(call, deadline, slots, scheduler.answers());
    SiteException refused;
    boolean starts = false;
    boolean lost;
    synchronized (this) {
      long now = scheduler.nanos();
      lost = forgetLost(now);
      refused = refusal(request, now);
      if (refused == null && !setTimer(deadline.atNanos(), now)) {
        refused =
            SiteException.notSent(site, Reason.UNREACHABLE, "not sent, the scheduler has ended");
      }
      if (refused == null) {
        starts = slots.hasRoom();
        if (starts) {
          slots.occupy();
          breaker.asked(now);
          awaited.add(request);
        } else {
          slots.waiting.add(request);
        }
      }
    }
    if (lost) {
      drain();
      renewOnceInAWhile();
    }
    if (refused != null) {
      return CompletableFuture.failedStage(refused);
    }
    if (starts) {
      send(request);
    }
    return request.promise;
  }

  /**
   * Removes lost requests. A client completes each request that it sent, if only by its own
   * timeout. A request that is incomplete long after its deadline will never complete. Then its
   * slot is free again, and a new client may succeed.
   */
  private boolean forgetLost(long now) {
    boolean any = false;
    Iterator<SiteRequest<?>> oldest = abandoned.iterator();
    while (oldest.hasNext()) {
      SiteRequest<?> request = oldest.next();
      if (now - request.deadline.atNanos() < lostAfterNanos()) {
        return any;
      }
      oldest.remove();
      request.lost = true;
      request.slots.vacate();
      breaker.lost();
      any = true;
    }
    return any;
  }

  private long lostAfterNanos() {
    return LOST_NANOS + 2 * limits.longestRequest().toNanos();
  }

  private void renewOnceInAWhile() {
    synchronized (this) {
      long now = scheduler.nanos();
      if (closed || now - renewalAt < 0) {
        return;
      }
      renewalAt = now + lostAfterNanos();
    }
    log.warn("the client lost requests; site={}", site);
    renew.run();
  }

  private @Nullable SiteException refusal(SiteRequest<?> request, long now) {
    if (closed) {
      return SiteException.notSent(
          site, Reason.UNREACHABLE, "not sent, the site was closed by this process");
    }
    if (request.deadline.atNanos() - now <= 0) {
      return SiteException.notSent(site, Reason.TIMED_OUT, "not sent, the deadline has passed");
    }
    if (breaker.isSuspected()) {
      request.probe = request.slots.hasRoom() && breaker.startsProbe(now);
      return request.probe
          ? null
          : SiteException.notSent(site, Reason.UNREACHABLE, breaker.describe(now));
    }
    if (request.slots.isFull()) {
      return SiteException.notSent(
          site,
          Reason.BUSY,
          "not sent, %d requests are in flight and %d wait"
              .formatted(request.slots.inFlight(), request.slots.waiting.size()));
    }
    return null;
  }

  private <T> void send(SiteRequest<T> request) {
    CompletionStage<T> answer;
    try {
      answer = Objects.requireNonNull(request.call.get());
    } catch (RuntimeException | Error failure) { // An error must not occupy the slot permanently.
      answer = CompletableFuture.failedStage(failure);
    }
    answer.whenComplete((value, failure) -> finish(request, value, failure));
  }

  private <T> void finish(SiteRequest<T> request, @Nullable T value, @Nullable Throwable failure) {
    SiteException failed = failure == null ? null : asSiteException(failure);
    List<SiteRequest<?>> dropped = List.of();
    SiteException reason = null;
    synchronized (this) {
      if (request.lost) {
        return;
      }
      request.slots.vacate();
      if (!awaited.remove(request)) {
        abandoned.remove(request);
      }
      long now = scheduler.nanos();
      if (failed != null && CircuitBreaker.isMadeHere(failed)) {
        breaker.notSent(request.probe, now);
      } else if (failed == null || !CircuitBreaker.isUnanswered(failed.reason())) {
        if (breaker.answered(now)) {
          log.info("site answers again; site={}", site);
        }
      } else if (breaker.unanswered(request.probe, now)) {
        log.warn(
            "site suspected; site={} failures={}",
            site,
            CircuitBreaker.FAILURES_TO_SUSPECT,
            failed);
        dropped = takeWaiting();
        reason = SiteException.notSent(site, Reason.UNREACHABLE, breaker.describe(now));
      }
    }
    request.complete(value, failed);
    fail(dropped, reason);
    drain();
  }

  private List<SiteRequest<?>> takeWaiting() {
    List<SiteRequest<?>> all = new ArrayList<>(prioritized.waiting);
    all.addAll(data.waiting);
    prioritized.waiting.clear();
    data.waiting.clear();
    return all;
  }

  private SiteException asSiteException(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof SiteException known
        ? known
        : new SiteException(site, Reason.FAILED, "the request failed: " + cause, cause);
  }

  /**
   * Sends waiting requests while there is room. A loop, because a response may come before send
   * returns.
   */
  private void drain() {
    while (true) {
      SiteRequest<?> next;
      boolean late;
      synchronized (this) {
        RequestSlots slots = prioritized.hasNext() ? prioritized : data;
        if (draining || !slots.hasNext()) {
          return;
        }
        next = slots.waiting.remove();
        late = next.deadline.hasPassed(scheduler);
        draining = !late;
        if (!late) {
          slots.occupy();
          breaker.asked(scheduler.nanos());
          awaited.add(next);
        }
      }
      if (late) {
        fail(List.of(next), tooLate());
        continue;
      }
      send(next);
      synchronized (this) {
        draining = false;
      }
    }
  }

  /**
   * Whether the timer is set for that time or an earlier one; false when the scheduler has ended.
   */
  private boolean setTimer(long atNanos, long now) {
    if (timer != null) {
      if (atNanos - timerAt >= 0) {
        return true;
      }
      timer.cancel();
      timer = null;
    }
    try {
      timer = scheduler.after(atNanos - now, this::expire);
      timerAt = atNanos;
      return true;
    } catch (RejectedExecutionException ended) {
      return false;
    }
  }

  private void expire() {
    List<SiteRequest<?>> unsent = new ArrayList<>();
    List<SiteRequest<?>> unanswered = new ArrayList<>();
    synchronized (this) {
      timer = null;
      long now = scheduler.nanos();
      takeExpired(prioritized.waiting.iterator(), now, unsent);
      takeExpired(data.waiting.iterator(), now, unsent);
      takeExpired(awaited.iterator(), now, unanswered);
      abandoned.addAll(unanswered);
    }
    fail(unsent, tooLate());
    fail(unanswered, new SiteException(site, Reason.TIMED_OUT, "no answer by the deadline"));
  }

  private SiteException tooLate() {
    return SiteException.notSent(
        site, Reason.TIMED_OUT, "not sent, the request waited in the queue until its deadline");
  }

  private void takeExpired(
      Iterator<SiteRequest<?>> requests, long now, List<SiteRequest<?>> expired) {
    while (requests.hasNext()) {
      SiteRequest<?> request = requests.next();
      long at = request.deadline.atNanos();
      if (at - now <= 0) {
        requests.remove();
        expired.add(request);
      } else {
        setTimer(at, now);
      }
    }
  }

  private static void fail(List<SiteRequest<?>> requests, @Nullable SiteException reason) {
    if (reason != null) {
      requests.forEach(request -> request.complete(null, reason));
    }
  }

  /** Fails all requests, present and later ones; no caller is left waiting. */
  void close() {
    List<SiteRequest<?>> unanswered;
    List<SiteRequest<?>> unsent;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      unanswered = List.copyOf(awaited);
      unsent = takeWaiting();
      awaited.clear();
      if (timer != null) {
        timer.cancel();
      }
    }
    String detail = "the site was closed by this process before it answered";
    fail(unanswered, new SiteException(site, Reason.UNREACHABLE, detail));
    String early = "not sent, the site was closed by this process while the request was queued";
    fail(unsent, SiteException.notSent(site, Reason.UNREACHABLE, early));
  }
}
