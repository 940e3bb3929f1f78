package io.ensemble.cache.mwmr;

import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.cache.quorum.SerialQueue;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Ballot;
import io.ensemble.register.PreparedBallot;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RegisterRequest;
import io.ensemble.register.VersionedCell;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.StoredEntry;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs one protocol operation: sends its requests to the stores and passes their responses to
 * the operation, one at a time. A response after its request's deadline counts as lost. A result of
 * the operation after its own deadline is ignored as well. The refill of a site relies on both.
 *
 * <p>Responses arrive on any thread. A thread that finds the queue without a consumer processes it
 * until it is empty. No thread waits for another; requests are sent and update functions are called
 * without a lock.
 */
final class RegisterExecution<R> {

  private static final Logger LOG = LoggerFactory.getLogger(RegisterExecution.class);

  /** The longest that a request may take. A refill waits as long for votes that were under way. */
  static final long REQUEST_NANOS = 2_000_000_000;

  /** The objects that the calls of one cache share. */
  record RegisterContext(
      List<String> sites,
      Scheduler scheduler,
      WaitPolicy pace,
      AnswerTimes times,
      WaitingCalls waits,
      MissedKeys missed) {}

  /**
   * How a call ended, and which sites answered meanwhile.
   *
   * @param prepared the ballot that the next write of this process may use
   * @param shownCells the cells from which the next write of this process may start
   */
  record ExecutionResult<R>(
      RegisterOutcome<Payload, R> outcome,
      SiteResponses answers,
      int roundTrips,
      Optional<PreparedBallot> prepared,
      Optional<List<VersionedCell<Payload>>> shownCells) {}

  private final RegisterContext context;
  private final Bytes key;
  private final RegisterOperation<Payload, R> operation;
  private final StoreSet storeSet;
  private final Deadline deadline;
  private final boolean recordsReads;

  /** The reads that follow fast votes; null if none do. */
  private final @Nullable VersionReads versionReads;

  private final CompletableFuture<ExecutionResult<R>> completion = new CompletableFuture<>();
  private final SerialQueue<Supplier<List<RegisterRequest<Payload>>>> serialQueue =
      new SerialQueue<>(this::process);

  // The fields below belong to the thread that processes the queue.

  /**
   * Whether the requests being sent are votes of all sites, so that the reads behind them serve.
   */
  private boolean isVoteOfAllSites;

  private final SiteResponses answers;
  private final CellCache cellCache = new CellCache();
  private boolean isFinished;

  /** The sites that have not answered a request; null for none, the usual case. */
  private @Nullable BitSet silentSites;

  private int hurriedRound;
  private int pausedAttempt;
  private int firstAnswers;

  /** The requests that were sent first. */
  private List<RegisterRequest<Payload>> startedRequests = List.of();

  /** Reads that are sent only if the responses of the first majority do not suffice. */
  private List<RegisterRequest<Payload>> withheldRequests = List.of();

  /** Whether only a majority was asked at first. */
  private boolean isMajorityFirst;

  /** When the first requests of the first round were sent. */
  private long startedAtNanos;

  /** Whether the other sites were asked later. */
  private boolean isAskedTwice;

  /** The wait before the other sites are asked; released at the end. */
  private WaitingCalls.@Nullable WaitingCall waiting;

  /** How many requests to store a new content were sent, or may have been. */
  private int possibleStores;

  RegisterExecution(
      RegisterContext context,
      Bytes key,
      RegisterOperation<Payload, R> operation,
      StoreSet storeSet,
      Deadline deadline,
      @Nullable VersionReads versionReads) {
    this(context, key, operation, storeSet, deadline, false, versionReads);
  }

  /**
   * @param recordsReads whether the operation is to bring the key to every site. A silent site then
   *     misses the key, even if nothing new is written
   * @param versionReads receives a read behind each fast vote; null for no such reads
   */
  RegisterExecution(
      RegisterContext context,
      Bytes key,
      RegisterOperation<Payload, R> operation,
      StoreSet storeSet,
      Deadline deadline,
      boolean recordsReads,
      @Nullable VersionReads versionReads) {
    this.versionReads = versionReads;
    this.recordsReads = recordsReads;
    this.context = context;
    this.key = key;
    this.operation = operation;
    this.storeSet = storeSet;
    this.deadline = deadline;
    answers = new SiteResponses(context.sites());
  }

  /**
   * Starts with {@code firstRequests}; the stage fails only with the exception of an update
   * function.
   */
  CompletionStage<ExecutionResult<R>> start(
      Supplier<List<RegisterRequest<Payload>>> firstRequests) {
    serialQueue.put(
        () -> {
          startedRequests = firstRequests.get();
          startedAtNanos = context.scheduler().nanos();
          return startedRequests;
        });
    return completion;
  }

  /**
   * As {@link #start}, but at first only {@code nearest}, a majority, is asked. The other sites are
   * asked when its responses do not suffice, or when one of its sites fails or is slow. To the
   * operation, the sites not asked are slow sites.
   */
  CompletionStage<ExecutionResult<R>> startAt(
      BitSet nearest, Supplier<List<RegisterRequest<Payload>>> firstRequests) {
    isMajorityFirst = true;
    serialQueue.put(
        () -> {
          List<RegisterRequest<Payload>> requests = firstRequests.get();
          startedRequests =
              requests.stream().filter(request -> nearest.get(request.site())).toList();
          withheldRequests =
              requests.stream().filter(request -> !nearest.get(request.site())).toList();
          startedAtNanos = context.scheduler().nanos();
          waiting = context.waits().scheduleWithheld(this, context.times().patienceNanos(nearest));
          return startedRequests;
        });
    return completion;
  }

  private List<RegisterRequest<Payload>> takeWithheldRequests() {
    List<RegisterRequest<Payload>> requests = withheldRequests;
    withheldRequests = List.of();
    isAskedTwice = !requests.isEmpty();
    return requests;
  }

  /** Whether the responses of a majority do not suffice, or a response of it is lost. */
  private boolean areWithheldNeeded() {
    return operation.outcome().isEmpty()
        && (silentSites != null
            || operation.heard() + withheldRequests.size() >= context.sites().size());
  }

  boolean hasEnded() {
    return completion.isDone();
  }

  /** Stops waiting for slow sites, if the operation is still in that round. */
  void hurry(int round) {
    if (!completion.isDone()) {
      serialQueue.put(
          () -> {
            if (round == 1) {
              recordSilence();
            }
            return round == operation.roundTrips() ? operation.onHurry() : List.of();
          });
    }
  }

  /** Asks the sites that were not asked at first, if that is still useful. */
  void sendWithheld() {
    if (!completion.isDone()) {
      serialQueue.put(
          () -> {
            if (operation.outcome().isPresent() || withheldRequests.isEmpty()) {
              return List.of();
            }
            recordSilence();
            return takeWithheldRequests();
          });
    }
  }

  /** A site that answers later than the others is not asked first for a while. */
  private void recordSilence() {
    for (RegisterRequest<Payload> request : startedRequests) {
      if (operation.awaits(request)) {
        context.times().recordSilence(request.site(), context.scheduler().nanos() - startedAtNanos);
      }
    }
  }

  /** Starts the next attempt, if the operation waits for it. */
  void resume() {
    serialQueue.put(operation::resume);
  }

  /** Ends the call, if it has not ended. */
  void expire() {
    serialQueue.put(
        () -> {
          operation.expire();
          return List.of();
        });
  }

  private @Nullable Runnable process(Supplier<List<RegisterRequest<Payload>>> input) {
    Throwable failure = runStep(input);
    if (isFinished || (failure == null && operation.outcome().isEmpty())) {
      return null;
    }
    isFinished = true;
    if (waiting != null) {
      waiting.release();
      waiting = null;
    }
    return createNotification(failure);
  }

  private @Nullable Throwable runStep(Supplier<List<RegisterRequest<Payload>>> input) {
    try {
      boolean isLate = deadline.hasPassed(context.scheduler());
      List<RegisterRequest<Payload>> requests =
          input.get(); // Also when late: may decide the outcome.
      if (isLate) {
        if (operation.outcome().isEmpty()) {
          operation.expire();
        }
        // No request is sent after the deadline: the write that it serves may be removed and its
        // tombstone purged by now.
        requests.forEach(request -> recordSilent(request.site()));
        reportMissed();
        return null;
      }
      long now = context.scheduler().nanos();
      isVoteOfAllSites =
          requests.size() == context.sites().size()
              && requests.stream().allMatch(RegisterRequest.Swap.class::isInstance);
      requests.forEach(request -> send(request, now));
      if (!withheldRequests.isEmpty() && areWithheldNeeded()) {
        takeWithheldRequests().forEach(request -> send(request, now));
      }
      scheduleWait();
      return null;
    } catch (RuntimeException | Error thrown) {
      if (isFinished || thrown instanceof Error) {
        LOG.error(
            "operation failed with an internal error; sites={} key={}",
            context.sites(),
            key,
            thrown);
      }
      operation.expire();
      return thrown;
    }
  }

  /** The exception of an update function is reported only if nothing had been proposed before. */
  private Runnable createNotification(@Nullable Throwable failure) {
    RegisterOutcome<Payload, R> outcome = operation.outcome().orElseThrow();
    // No proposal reached a site, and none ever will.
    boolean isWithoutEffect = outcome instanceof RegisterOutcome.Unknown && possibleStores == 0;
    RegisterOutcome<Payload, R> finalOutcome =
        isWithoutEffect ? new RegisterOutcome.Refused<>() : outcome;
    if (failure != null && finalOutcome instanceof RegisterOutcome.Refused) {
      return () -> completion.completeExceptionally(failure);
    }
    reportMissed();
    int roundTrips = operation.roundTrips() + (isAskedTwice ? 1 : 0);
    ExecutionResult<R> result =
        new ExecutionResult<>(
            finalOutcome, answers, roundTrips, operation.prepared(), operation.shownCells());
    return () -> completion.complete(result);
  }

  private void recordSilent(int site) {
    silentSites = silentSites == null ? new BitSet() : silentSites;
    silentSites.set(site);
  }

  /** A site that was silent while its key was written may lack that write. */
  private void reportMissed() {
    BitSet missedSites = silentSites;
    if (missedSites != null
        && operation.outcome().orElse(null) instanceof RegisterOutcome.Done<Payload, R> done
        && (recordsReads || done.wrote())) {
      missedSites.stream().forEach(site -> context.missed().add(site, key));
      silentSites = null;
    }
  }

  private void scheduleWait() {
    if (operation.outcome().isPresent()) {
      return;
    }
    int sites = context.sites().size();
    if (operation.isPaused() && pausedAttempt < operation.attempt()) {
      pausedAttempt = operation.attempt();
      long pause =
          operation.isYielding()
              ? context.pace().yieldNanos()
              : context.pace().pauseNanos(pausedAttempt);
      long remainingNanos = Math.max(0, deadline.remainingNanos(context.scheduler()));
      boolean isUseless = answers.strange() >= sites - sites / 2;
      if (isUseless || !context.waits().scheduleResume(this, Math.min(pause, remainingNanos))) {
        operation.expire();
      }
    } else if (operation.canHurry()
        && hurriedRound < operation.roundTrips()
        && operation.heard() > sites / 2) {
      hurriedRound = operation.roundTrips();
      context.waits().scheduleHurry(this, hurriedRound);
    }
  }

  /**
   * The requests of one round have one limit: a refill relies on the votes of a round ending
   * together.
   */
  private void send(RegisterRequest<Payload> request, long sentNanos) {
    int site = request.site();
    int tag = request.tag();
    boolean isFirstRound = operation.roundTrips() == 1;
    Deadline limit = deadline.at(requestLimit(isFirstRound ? startedAtNanos : sentNanos));
    if (request instanceof RegisterRequest.Swap<Payload> swap) {
      possibleStores += hasNewContent(swap) ? 1 : 0;
      sendSwap(swap, limit)
          .whenComplete(
              (swapped, failure) ->
                  receive(
                      request,
                      sentNanos,
                      limit,
                      failure,
                      () -> operation.onSwap(site, tag, swapped)));
      if (versionReads != null
          && isVoteOfAllSites
          && swap.cell().accepted().kind() == Ballot.Kind.FAST
          && hasNewContent(swap)) {
        versionReads.sent(site, storeSet.ask(site, store -> store.read(key, limit)));
      }
    } else {
      storeSet
          .ask(site, store -> store.read(key, limit))
          .whenComplete(
              (entry, failure) ->
                  receive(
                      request,
                      sentNanos,
                      limit,
                      failure,
                      () -> onRead(request, entry, isFirstRound, sentNanos)));
    }
  }

  /** A promise leaves the content that the site had accepted unchanged. */
  private static boolean hasNewContent(RegisterRequest.Swap<Payload> swap) {
    return !swap.cell().accepted().equals(swap.expected().cell().accepted());
  }

  private CompletionStage<Boolean> sendSwap(RegisterRequest.Swap<Payload> swap, Deadline limit) {
    Bytes value = cellCache.encode(swap.cell());
    VersionedCell<Payload> expected = swap.expected();
    return storeSet.ask(
        swap.site(),
        store ->
            expected.cell().isAbsent()
                ? store.putIfAbsent(key, value, limit)
                : store.replace(key, expected.token(), value, limit));
  }

  /** Responses of slow sites may arrive a little after the operation's end. */
  private long requestLimit(long now) {
    long latestNanos = now + REQUEST_NANOS;
    return operation.outcome().isPresent() || latestNanos - deadline.atNanos() < 0
        ? latestNanos
        : deadline.atNanos();
  }

  private List<RegisterRequest<Payload>> onRead(
      RegisterRequest<Payload> request,
      Optional<StoredEntry> entry,
      boolean isFirst,
      long sentNanos) {
    if (isFirst && ++firstAnswers == context.sites().size() && !isMajorityFirst) {
      // Also when no call waited for the last response; otherwise the wait could never become
      // longer.
      context.pace().recordFullResponse(context.scheduler().nanos() - sentNanos);
    }
    VersionedCell<Payload> versionedCell;
    try {
      versionedCell = cellCache.decode(entry);
    } catch (MalformedEnvelopeException exception) {
      return handleLoss(request, sentNanos, exception);
    }
    return operation.onRead(request.site(), request.tag(), versionedCell);
  }

  private void receive(
      RegisterRequest<Payload> request,
      long sentNanos,
      Deadline limit,
      @Nullable Throwable failure,
      Supplier<List<RegisterRequest<Payload>>> input) {
    Throwable cause = failure == null ? null : CompletionCause.of(failure);
    if (cause == null && limit.hasPassed(context.scheduler())) {
      String site = context.sites().get(request.site());
      cause = new SiteException(site, Reason.TIMED_OUT, "the answer came after the deadline");
    }
    Throwable finalCause = cause;
    serialQueue.put(
        () -> {
          if (finalCause != null) {
            return handleLoss(request, sentNanos, finalCause);
          }
          answers.heard(request.site());
          context.times().recordAnswer(request.site(), context.scheduler().nanos() - sentNanos);
          return input.get();
        });
  }

  private List<RegisterRequest<Payload>> handleLoss(
      RegisterRequest<Payload> request, long sentNanos, Throwable cause) {
    answers.silent(request.site(), cause);
    recordSilent(request.site());
    context.times().recordSilence(request.site(), context.scheduler().nanos() - sentNanos);
    if (isFinished) {
      reportMissed();
    }
    if (request instanceof RegisterRequest.Swap<Payload> swap
        && hasNewContent(swap)
        && cause instanceof SiteException site
        && site.isNotSent()) {
      possibleStores--;
    }
    return operation.onLost(request.site(), request.tag());
  }
}
