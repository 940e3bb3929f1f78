package io.ensemble.cache.mwmr;

import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.cache.quorum.SerialQueue;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.envelope.MalformedEnvelopeException;
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
  record Setting(
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
   */
  record Ended<R>(
      RegisterOutcome<Payload, R> outcome,
      SiteResponses answers,
      int roundTrips,
      Optional<PreparedBallot> prepared) {}

  private final Setting setting;
  private final Bytes key;
  private final RegisterOperation<Payload, R> operation;
  private final StoreSet storeSet;
  private final Deadline deadline;
  private final boolean levels;
  private final CompletableFuture<Ended<R>> ended = new CompletableFuture<>();
  private final SerialQueue<Supplier<List<RegisterRequest<Payload>>>> serialQueue =
      new SerialQueue<>(this::handle);

  // The fields below belong to the thread that processes the queue.
  private final SiteResponses answers;
  private final CellCache cells = new CellCache();
  private boolean over;

  /** The sites that have not answered a request; null for none, the usual case. */
  private @Nullable BitSet silent;

  private int hurriedRound;
  private int pausedAttempt;
  private int firstAnswers;

  /** The requests that were sent first. */
  private List<RegisterRequest<Payload>> begun = List.of();

  /** Reads that are sent only if the responses of the first majority do not suffice. */
  private List<RegisterRequest<Payload>> withheld = List.of();

  /** Whether only a majority was asked at first. */
  private boolean isMajorityFirst;

  /** When the first requests of the first round were sent. */
  private long begunAtNanos;

  /** Whether the other sites were asked later. */
  private boolean isAskedTwice;

  /** The wait before the other sites are asked; released at the end. */
  private WaitingCalls.@Nullable Waiting waiting;

  /** How many requests to store a new content were sent, or may have been. */
  private int perhapsStored;

  RegisterExecution(
      Setting setting,
      Bytes key,
      RegisterOperation<Payload, R> operation,
      StoreSet storeSet,
      Deadline deadline) {
    this(setting, key, operation, storeSet, deadline, false);
  }

  /**
   * @param levels whether the operation is to bring the key to every site. A silent site then
   *     misses the key, even if nothing new is written
   */
  RegisterExecution(
      Setting setting,
      Bytes key,
      RegisterOperation<Payload, R> operation,
      StoreSet storeSet,
      Deadline deadline,
      boolean levels) {
    this.levels = levels;
    this.setting = setting;
    this.key = key;
    this.operation = operation;
    this.storeSet = storeSet;
    this.deadline = deadline;
    answers = new SiteResponses(setting.sites());
  }

  /** Starts with {@code first}; the stage fails only with the exception of an update function. */
  CompletionStage<Ended<R>> start(Supplier<List<RegisterRequest<Payload>>> first) {
    serialQueue.put(
        () -> {
          begun = first.get();
          begunAtNanos = setting.scheduler().nanos();
          return begun;
        });
    return ended;
  }

  /**
   * As {@link #start}, but at first only {@code nearest}, a majority, is asked. The other sites are
   * asked when its responses do not suffice, or when one of its sites fails or is slow. To the
   * operation, the sites not asked are slow sites.
   */
  CompletionStage<Ended<R>> startAt(
      BitSet nearest, Supplier<List<RegisterRequest<Payload>>> first) {
    isMajorityFirst = true;
    serialQueue.put(
        () -> {
          List<RegisterRequest<Payload>> all = first.get();
          begun = all.stream().filter(request -> nearest.get(request.site())).toList();
          withheld = all.stream().filter(request -> !nearest.get(request.site())).toList();
          begunAtNanos = setting.scheduler().nanos();
          waiting =
              setting.waits().beforeAskingOthers(this, setting.times().patienceNanos(nearest));
          return begun;
        });
    return ended;
  }

  private List<RegisterRequest<Payload>> takeWithheld() {
    List<RegisterRequest<Payload>> taken = withheld;
    withheld = List.of();
    isAskedTwice = !taken.isEmpty();
    return taken;
  }

  /** Whether the responses of a majority do not suffice, or a response of it is lost. */
  private boolean areOthersNeeded() {
    return operation.outcome().isEmpty()
        && (silent != null || operation.heard() + withheld.size() >= setting.sites().size());
  }

  boolean hasEnded() {
    return ended.isDone();
  }

  /** Stops waiting for slow sites, if the operation is still in that round. */
  void hurry(int round) {
    if (!ended.isDone()) {
      serialQueue.put(
          () -> {
            if (round == 1) {
              noteSilence();
            }
            return round == operation.roundTrips() ? operation.onHurry() : List.of();
          });
    }
  }

  /** Asks the sites that were not asked at first, if that is still useful. */
  void askOthers() {
    if (!ended.isDone()) {
      serialQueue.put(
          () -> {
            if (operation.outcome().isPresent() || withheld.isEmpty()) {
              return List.of();
            }
            noteSilence();
            return takeWithheld();
          });
    }
  }

  /** A site that answers later than the others is not asked first for a while. */
  private void noteSilence() {
    for (RegisterRequest<Payload> request : begun) {
      if (operation.awaits(request)) {
        setting.times().noteSilence(request.site(), setting.scheduler().nanos() - begunAtNanos);
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

  private @Nullable Runnable handle(Supplier<List<RegisterRequest<Payload>>> input) {
    Throwable failure = step(input);
    if (over || (failure == null && operation.outcome().isEmpty())) {
      return null;
    }
    over = true;
    if (waiting != null) {
      waiting.release();
      waiting = null;
    }
    return news(failure);
  }

  private @Nullable Throwable step(Supplier<List<RegisterRequest<Payload>>> input) {
    try {
      boolean late = deadline.hasPassed(setting.scheduler());
      List<RegisterRequest<Payload>> requests =
          input.get(); // Also when late: may decide the outcome.
      if (late) {
        if (operation.outcome().isEmpty()) {
          operation.expire();
        }
        // No request is sent after the deadline: the write that it serves may be removed and its
        // tombstone purged by now.
        requests.forEach(request -> misses(request.site()));
        tellMissed();
        return null;
      }
      long now = setting.scheduler().nanos();
      requests.forEach(request -> send(request, now));
      if (!withheld.isEmpty() && areOthersNeeded()) {
        takeWithheld().forEach(request -> send(request, now));
      }
      waitIfNeedBe();
      return null;
    } catch (RuntimeException | Error thrown) {
      if (over || thrown instanceof Error) {
        LOG.error(
            "operation failed with an internal error; sites={} key={}",
            setting.sites(),
            key,
            thrown);
      }
      operation.expire();
      return thrown;
    }
  }

  /** The exception of an update function is reported only if nothing had been proposed before. */
  private Runnable news(@Nullable Throwable failure) {
    RegisterOutcome<Payload, R> outcome = operation.outcome().orElseThrow();
    // No proposal reached a site, and none ever will.
    boolean inVain = outcome instanceof RegisterOutcome.Unknown && perhapsStored == 0;
    RegisterOutcome<Payload, R> ending = inVain ? new RegisterOutcome.Refused<>() : outcome;
    if (failure != null && ending instanceof RegisterOutcome.Refused) {
      return () -> ended.completeExceptionally(failure);
    }
    tellMissed();
    int roundTrips = operation.roundTrips() + (isAskedTwice ? 1 : 0);
    Ended<R> result = new Ended<>(ending, answers, roundTrips, operation.prepared());
    return () -> ended.complete(result);
  }

  private void misses(int site) {
    silent = silent == null ? new BitSet() : silent;
    silent.set(site);
  }

  /** A site that was silent while its key was written may lack that write. */
  private void tellMissed() {
    BitSet lacking = silent;
    if (lacking != null
        && operation.outcome().orElse(null) instanceof RegisterOutcome.Done<Payload, R> done
        && (levels || done.wrote())) {
      lacking.stream().forEach(site -> setting.missed().add(site, key));
      silent = null;
    }
  }

  private void waitIfNeedBe() {
    if (operation.outcome().isPresent()) {
      return;
    }
    int sites = setting.sites().size();
    if (operation.isPaused() && pausedAttempt < operation.attempt()) {
      pausedAttempt = operation.attempt();
      long pause = setting.pace().pauseNanos(pausedAttempt);
      long left = Math.max(0, deadline.remainingNanos(setting.scheduler()));
      boolean useless = answers.strange() >= sites - sites / 2;
      if (useless || !setting.waits().beforeNextAttempt(this, Math.min(pause, left))) {
        operation.expire();
      }
    } else if (operation.canHurry()
        && hurriedRound < operation.roundTrips()
        && operation.heard() > sites / 2) {
      hurriedRound = operation.roundTrips();
      setting.waits().beforeHurrying(this, hurriedRound);
    }
  }

  /**
   * The requests of one round have one limit: a refill relies on the votes of a round ending
   * together.
   */
  private void send(RegisterRequest<Payload> request, long sent) {
    int site = request.site();
    int tag = request.tag();
    boolean isFirstRound = operation.roundTrips() == 1;
    Deadline limit = deadline.at(requestLimit(isFirstRound ? begunAtNanos : sent));
    if (request instanceof RegisterRequest.Swap<Payload> swap) {
      perhapsStored += bringsContent(swap) ? 1 : 0;
      ask(swap, limit)
          .whenComplete(
              (swapped, failure) ->
                  answer(
                      request, sent, limit, failure, () -> operation.onSwap(site, tag, swapped)));
    } else {
      storeSet
          .ask(site, open -> open.read(key, limit))
          .whenComplete(
              (entry, failure) ->
                  answer(
                      request,
                      sent,
                      limit,
                      failure,
                      () -> onRead(request, entry, isFirstRound, sent)));
    }
  }

  /** A promise leaves the content that the site had accepted unchanged. */
  private static boolean bringsContent(RegisterRequest.Swap<Payload> swap) {
    return !swap.cell().accepted().equals(swap.expected().cell().accepted());
  }

  private CompletionStage<Boolean> ask(RegisterRequest.Swap<Payload> swap, Deadline limit) {
    Bytes value = cells.encode(swap.cell());
    VersionedCell<Payload> expected = swap.expected();
    return storeSet.ask(
        swap.site(),
        open ->
            expected.cell().isAbsent()
                ? open.putIfAbsent(key, value, limit)
                : open.replace(key, expected.token(), value, limit));
  }

  /** Responses of slow sites may arrive a little after the operation's end. */
  private long requestLimit(long now) {
    long longest = now + REQUEST_NANOS;
    return operation.outcome().isPresent() || longest - deadline.atNanos() < 0
        ? longest
        : deadline.atNanos();
  }

  private List<RegisterRequest<Payload>> onRead(
      RegisterRequest<Payload> request, Optional<StoredEntry> entry, boolean first, long sent) {
    if (first && ++firstAnswers == setting.sites().size() && !isMajorityFirst) {
      // Also when no call waited for the last response; otherwise the wait could never become
      // longer.
      setting.pace().allAnsweredAfter(setting.scheduler().nanos() - sent);
    }
    VersionedCell<Payload> seen;
    try {
      seen = cells.seen(entry);
    } catch (MalformedEnvelopeException strange) {
      return lost(request, sent, strange);
    }
    return operation.onRead(request.site(), request.tag(), seen);
  }

  private void answer(
      RegisterRequest<Payload> request,
      long sent,
      Deadline limit,
      @Nullable Throwable failure,
      Supplier<List<RegisterRequest<Payload>>> input) {
    Throwable why = failure == null ? null : CompletionCause.of(failure);
    if (why == null && limit.hasPassed(setting.scheduler())) {
      String site = setting.sites().get(request.site());
      why = new SiteException(site, Reason.TIMED_OUT, "the answer came after the deadline");
    }
    Throwable lost = why;
    serialQueue.put(
        () -> {
          if (lost != null) {
            return lost(request, sent, lost);
          }
          answers.heard(request.site());
          setting.times().noteAnswer(request.site(), setting.scheduler().nanos() - sent);
          return input.get();
        });
  }

  private List<RegisterRequest<Payload>> lost(
      RegisterRequest<Payload> request, long sent, Throwable why) {
    answers.silent(request.site(), why);
    misses(request.site());
    setting.times().noteSilence(request.site(), setting.scheduler().nanos() - sent);
    if (over) {
      tellMissed();
    }
    if (request instanceof RegisterRequest.Swap<Payload> swap
        && bringsContent(swap)
        && why instanceof SiteException site
        && site.isNotSent()) {
      perhapsStored--;
    }
    return operation.onLost(request.site(), request.tag());
  }
}
