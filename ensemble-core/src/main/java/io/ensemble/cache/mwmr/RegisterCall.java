package io.ensemble.cache.mwmr;

import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.register.Cell;
import io.ensemble.register.Operation;
import io.ensemble.register.Outcome;
import io.ensemble.register.Request;
import io.ensemble.register.Seen;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Performs one protocol operation: sends its requests to the stores and hands it their answers, one
 * at a time. An answer that comes after its request's deadline counts as lost, and so does whatever
 * the operation achieves after its own: a site's refill relies on it.
 */
final class RegisterCall<R> {

  /** The longest that a request may take. A refill waits as long for votes that were under way. */
  static final long REQUEST_NANOS = 2_000_000_000;

  /** What the calls of one cache share. */
  record Setting(List<String> sites, Scheduler scheduler, CacheMetrics metrics, Pace pace) {}

  /** How a call ended, and who answered meanwhile. */
  record Ended<R>(Outcome<Payload, R> outcome, Answers answers, int roundTrips) {}

  private final Setting setting;
  private final Bytes key;
  private final Operation<Payload, R> operation;
  private final Replicas replicas;
  private final Deadline deadline;
  private final long startNanos;
  private final Answers answers = new Answers();
  private final CompletableFuture<Ended<R>> ended = new CompletableFuture<>();
  private final Queue<Supplier<List<Request<Payload>>>> inbox = new ArrayDeque<>();
  private boolean draining;
  private boolean waitingForMore;
  private int pausedAttempt;

  RegisterCall(
      Setting setting,
      Bytes key,
      Operation<Payload, R> operation,
      Replicas replicas,
      Deadline deadline) {
    this.setting = setting;
    this.key = key;
    this.operation = operation;
    this.replicas = replicas;
    this.deadline = deadline;
    this.startNanos = setting.scheduler().nanos();
  }

  /** Starts with {@code first}; the stage fails only with what an update function threw. */
  CompletionStage<Ended<R>> start(Supplier<List<Request<Payload>>> first) {
    handle(first);
    return ended;
  }

  /** Takes one input after the other, whoever brings them. */
  private void handle(Supplier<List<Request<Payload>>> input) {
    Ended<R> result = null;
    Throwable failure = null;
    synchronized (this) {
      inbox.add(input);
      if (draining) {
        return;
      }
      draining = true;
      try {
        drain();
      } catch (RuntimeException | Error thrown) {
        operation.expire();
        failure = thrown;
      } finally {
        draining = false;
      }
      if (operation.outcome().isPresent() && !ended.isDone()) {
        result = new Ended<>(operation.outcome().get(), answers, operation.roundTrips());
      }
    }
    if (failure != null && !(result != null && result.outcome() instanceof Outcome.Unknown)) {
      ended.completeExceptionally(failure);
    } else if (result != null) {
      ended.complete(result);
    }
  }

  private void drain() {
    for (Supplier<List<Request<Payload>>> input = inbox.poll();
        input != null;
        input = inbox.poll()) {
      if (operation.outcome().isEmpty() && deadline.hasPassed(setting.scheduler())) {
        operation.expire();
        return;
      }
      for (Request<Payload> request : input.get()) {
        send(request);
      }
      waitIfNeedBe();
    }
  }

  private void waitIfNeedBe() {
    if (operation.outcome().isPresent()) {
      return;
    }
    if (operation.isPaused() && pausedAttempt < operation.attempt()) {
      pausedAttempt = operation.attempt();
      long pause = setting.pace().pauseNanos(pausedAttempt);
      long left = Math.max(0, deadline.remainingNanos(setting.scheduler()));
      setting.scheduler().after(Math.min(pause, left), () -> handle(operation::resume));
    } else if (!waitingForMore && operation.canHurry() && hasMajority()) {
      waitingForMore = true;
      int attempt = operation.attempt();
      setting.scheduler().after(setting.pace().patienceNanos(), () -> handle(() -> hurry(attempt)));
    }
  }

  private boolean hasMajority() {
    return operation.heard().size() > setting.sites().size() / 2;
  }

  private List<Request<Payload>> hurry(int attempt) {
    waitingForMore = false;
    return attempt == operation.attempt() ? operation.onHurry() : List.of();
  }

  private void send(Request<Payload> request) {
    int site = request.site();
    long sent = setting.scheduler().nanos();
    Deadline limit = new Deadline(requestLimit(sent));
    CompletionStage<SiteStore> store = replicas.store(site);
    if (request instanceof Request.Swap<Payload> swap) {
      store
          .thenCompose(open -> swap(open, swap, limit))
          .whenComplete(
              (swapped, failure) ->
                  answer(
                      request,
                      "swap",
                      sent,
                      limit,
                      failure,
                      () -> operation.onSwap(site, request.tag(), Boolean.TRUE.equals(swapped))));
    } else {
      store
          .thenCompose(open -> open.read(key, limit))
          .thenApply(RegisterCall::seen)
          .whenComplete(
              (seen, failure) ->
                  answer(
                      request,
                      "read",
                      sent,
                      limit,
                      failure,
                      () -> onRead(site, request.tag(), sent, seen)));
    }
  }

  /** Answers that slow sites owe may come a little after the operation's end. */
  private long requestLimit(long now) {
    long longest = now + REQUEST_NANOS;
    return operation.outcome().isPresent() ? longest : Math.min(longest, deadline.atNanos());
  }

  private List<Request<Payload>> onRead(int site, int tag, long sent, Seen<Payload> seen) {
    List<Request<Payload>> next = operation.onRead(site, tag, seen);
    if (operation.heard().size() == setting.sites().size()) {
      setting.pace().allAnsweredAfter(setting.scheduler().nanos() - sent);
    }
    return next;
  }

  private CompletionStage<Boolean> swap(
      SiteStore store, Request.Swap<Payload> swap, Deadline limit) {
    Bytes value = CellCodec.encode(swap.cell());
    Seen<Payload> expected = swap.expected();
    return expected.cell().isAbsent()
        ? store.putIfAbsent(key, value, limit)
        : store.replace(key, expected.token(), value, limit);
  }

  static Seen<Payload> seen(Optional<StoredEntry> entry) {
    return entry
        .map(stored -> new Seen<>(CellCodec.decode(stored.value()), stored.version()))
        .orElseGet(() -> new Seen<>(Cell.absent(), 0));
  }

  private void answer(
      Request<Payload> request,
      String what,
      long sent,
      Deadline limit,
      @Nullable Throwable failure,
      Supplier<List<Request<Payload>>> input) {
    String site = setting.sites().get(request.site());
    Throwable why =
        failure instanceof CompletionException wrapped && wrapped.getCause() != null
            ? wrapped.getCause()
            : failure;
    if (why == null && limit.hasPassed(setting.scheduler())) {
      why = new SiteException(site, Reason.TIMED_OUT, "the answer came after the deadline");
    }
    Throwable lost = why;
    if (setting.metrics().enabled()) {
      String outcome =
          lost == null
              ? "ok"
              : lost instanceof SiteException known
                  ? known.reason().name().toLowerCase(java.util.Locale.ROOT)
                  : "failed";
      setting.metrics().siteRequest(site, what, outcome, setting.scheduler().nanos() - sent);
    }
    handle(
        () -> {
          if (lost == null) {
            answers.heard(site);
            return input.get();
          }
          answers.silent(site, lost);
          return operation.onLost(request.site(), request.tag());
        });
  }

  /** How long the call has taken so far. */
  long elapsedNanos() {
    return setting.scheduler().nanos() - startNanos;
  }
}
