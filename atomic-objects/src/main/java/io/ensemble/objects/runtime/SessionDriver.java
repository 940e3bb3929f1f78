package io.ensemble.objects.runtime;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.protocol.CallResult;
import io.ensemble.objects.protocol.ProtocolEffect;
import io.ensemble.objects.protocol.SessionProtocol;
import io.ensemble.objects.protocol.StoreRequest;
import io.ensemble.objects.protocol.StoreResponse;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallBatch;
import io.ensemble.objects.record.ObjectRoot;
import io.ensemble.objects.record.RootCodec;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one session of one object. Thread-safe; every step of the session runs in order, on the
 * executor. A driver uses no thread, and no timer while the session is idle.
 */
public final class SessionDriver {

  private static final Logger LOG = LoggerFactory.getLogger(SessionDriver.class);

  /**
   * The reason of calls that end, and of later calls that are refused, after a violated invariant.
   */
  public static final String FAULT = "the session ended with an internal error; see the log";

  /** How long after its timeout a call that waits for a step of the session is completed. */
  private static final long GRACE_NANOS = 500_000_000;

  private final String name;
  private final SessionProtocol sessionProtocol;
  private final ObjectStore store;
  private final ObjectStoreClient objectStoreClient;
  private final TimedExecutor timedExecutor;
  private final Duration requestTimeout;
  private final SequentialExecutor sequentialExecutor;
  private final Map<Long, CompletableFuture<CallResult>> callers = new ConcurrentHashMap<>();
  private final AtomicLong calls = new AtomicLong();
  private final PendingEvents pendingEvents = new PendingEvents();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private volatile Consumer<ObjectRoot> rootListener = root -> {};
  private @Nullable ObjectRoot reported;
  private @Nullable Future<?> alarm;
  private volatile boolean ended;
  private volatile boolean abandoned;
  private volatile boolean failed;
  private long asked;

  /** Drives {@code sessionProtocol}, which only this driver may use from now on. */
  public SessionDriver(
      String name,
      SessionProtocol sessionProtocol,
      ObjectStore store,
      TimedExecutor timedExecutor,
      Duration requestTimeout) {
    this.name = name;
    this.sessionProtocol = sessionProtocol;
    this.store = store;
    this.objectStoreClient = new ObjectStoreClient(store, name);
    this.timedExecutor = timedExecutor;
    this.requestTimeout = requestTimeout;
    this.sequentialExecutor = new SequentialExecutor(timedExecutor.executor());
  }

  /**
   * Makes a call. The stage never fails. It completes inside a step of the session: a dependent
   * stage that may take long must first move to the {@linkplain #executor executor}.
   */
  public CompletionStage<CallResult> call(byte[] call, Duration timeout) {
    return made(timeout, id -> sessionProtocol.call(id, ByteString.of(call), timedExecutor.now()));
  }

  /** Makes a call that changes nothing. */
  public CompletionStage<CallResult> read(byte[] call, boolean sequential, Duration timeout) {
    return made(
        timeout,
        id -> sessionProtocol.read(id, ByteString.of(call), sequential, timedExecutor.now()));
  }

  /**
   * The object may have changed; {@code entry} is its present or a former root, if the event
   * reported it.
   */
  public void changed(Optional<Entry> entry) {
    if (pendingEvents.root(entry)) {
      sequentialExecutor.run(this::handleChange);
    }
  }

  /**
   * A session may have posted a batch; {@code entry} is the present or a former content of its
   * mailbox.
   */
  public void mail(UUID session, Optional<Entry> entry) {
    if (pendingEvents.mail(session, entry)) {
      sequentialExecutor.run(this::handleChange);
    }
  }

  private void handleChange() {
    PendingEvents.Events events = pendingEvents.all();
    if (events.changed()) {
      Optional<ObjectRoot> told = events.root().flatMap(e -> readable(RootCodec::root, e));
      step(
          () ->
              told.isPresent()
                  ? sessionProtocol.told(
                      told.get(), events.root().get().token(), timedExecutor.now())
                  : sessionProtocol.hint(timedExecutor.now()));
    }
    events
        .mail()
        .forEach(
            (sender, entry) -> {
              Optional<CallBatch> batch = entry.flatMap(e -> readable(RootCodec::batch, e));
              step(
                  () ->
                      batch.isPresent()
                          ? sessionProtocol.mail(batch.get(), timedExecutor.now())
                          : sessionProtocol.mail(sender, timedExecutor.now()));
            });
  }

  /**
   * Empty if the entry cannot be read; the session then reads it from the store and reports the
   * error.
   */
  private static <T> Optional<T> readable(Function<byte[], T> reading, Entry entry) {
    try {
      return Optional.of(reading.apply(entry.value()));
    } catch (UnreadableException e) {
      return Optional.empty();
    }
  }

  /**
   * Completes when the calls in progress have ended, or after {@code atMost}; no call ends after
   * that.
   */
  public CompletionStage<Void> close(Duration atMost) {
    sequentialExecutor.run(() -> step(() -> sessionProtocol.close(timedExecutor.now())));
    return done.copy()
        .orTimeout(atMost.toNanos(), NANOSECONDS)
        .exceptionally(e -> null)
        .thenRun(this::abandon);
  }

  /**
   * Calls {@code listener} whenever this session has learned of another root, which the object had;
   * on the thread of a step, which it must not block. Replaces an earlier listener.
   */
  public void onRoot(Consumer<ObjectRoot> listener) {
    rootListener = listener;
  }

  /** Reads the object soon. */
  public void refresh() {
    sequentialExecutor.run(() -> step(() -> sessionProtocol.refresh(timedExecutor.now())));
  }

  /** Whether every call is refused from now on. */
  public boolean hasEnded() {
    return ended;
  }

  /** Runs {@code task} after a pause. */
  public void after(Duration pause, Runnable task) {
    after(pause.toNanos(), task);
  }

  /** The executor of all steps and tasks. */
  public Executor executor() {
    return timedExecutor.executor();
  }

  private CompletionStage<CallResult> made(
      Duration timeout, Function<Long, List<ProtocolEffect>> handing) {
    long id = calls.incrementAndGet();
    CompletableFuture<CallResult> caller = new CompletableFuture<>();
    callers.put(id, caller);
    if (abandoned || failed) {
      end(id, new CallResult.Refused(failed ? FAULT : "the object is closed"));
      return caller;
    }
    Future<?> expiry = scheduled(timeout.toNanos(), () -> expire(id, timeout));
    caller.whenComplete((callResult, failure) -> expiry.cancel(false));
    sequentialExecutor.run(
        () -> {
          if (!caller.isDone()) {
            step(() -> handing.apply(id));
          }
        });
    return caller;
  }

  /**
   * Runs on the timer, independently of the steps of the session: a method may block those forever.
   */
  private void expire(long id, Duration timeout) {
    String why = "no answer within " + timeout.toMillis() + " ms";
    scheduled(
        GRACE_NANOS,
        () ->
            end(
                id,
                new CallResult.Unknown(
                    why + "; this process is executing other calls of the object")));
    sequentialExecutor.run(
        () -> {
          if (callers.containsKey(id)) {
            end(
                id,
                sessionProtocol.takeBack(id)
                    ? new CallResult.Refused(why + "; the call was not started")
                    : new CallResult.Unknown(why));
          }
        });
  }

  private void end(long id, CallResult callResult) {
    CompletableFuture<CallResult> caller = callers.remove(id);
    if (caller != null) {
      caller.complete(callResult);
    }
  }

  /** Ends the session: it sends no further request, and calls that have not ended are unknown. */
  private void abandon() {
    abandoned = true;
    done.complete(null);
    endAll("the object was closed by this process during the call");
  }

  /** Performs one step of the session. A violated invariant ends this session only. */
  private void step(Supplier<List<ProtocolEffect>> thing) {
    if (failed || abandoned) {
      endAll(FAULT);
      return;
    }
    try {
      perform(thing.get());
    } catch (RuntimeException | Error e) {
      LOG.error("The session of an atomic object ended with an internal error. object={}", name, e);
      failed = true;
      ended = true;
      endAll(FAULT);
    }
  }

  private void endAll(String why) {
    callers.keySet().forEach(id -> end(id, new CallResult.Unknown(why)));
    done.complete(null);
  }

  private void perform(List<ProtocolEffect> effects) {
    for (ProtocolEffect effect : effects) { // Requests with a round trip are sent first.
      if (effect instanceof ProtocolEffect.Ask ask) {
        ask(ask.request());
      } else if (effect instanceof ProtocolEffect.LookInParallel parallel) {
        lookInParallel(parallel);
      }
    }
    for (ProtocolEffect effect : effects) {
      if (effect instanceof ProtocolEffect.Settle settle) {
        end(settle.call(), settle.verdict());
      } else if (effect instanceof ProtocolEffect.WakeAt wake) {
        wakeAt(wake.nanos());
      } else if (effect instanceof ProtocolEffect.DropMailbox drop) {
        discard(ObjectKeys.mailbox(drop.birth(), drop.session()));
      } else if (effect instanceof ProtocolEffect.DropSnapshot drop) {
        discard(ObjectKeys.snapshot(drop.snapshot()));
      }
    }
    ObjectRoot root = sessionProtocol.root();
    if (root != null && !root.equals(reported)) {
      reported = root;
      rootListener.accept(root);
    }
    ended |= sessionProtocol.end().isPresent();
    if (sessionProtocol.isDone()) {
      done.complete(null);
    }
  }

  private void ask(StoreRequest request) {
    long number = ++asked;
    send(request, storeResponse -> answered(number, storeResponse));
  }

  private void lookInParallel(ProtocolEffect.LookInParallel parallel) {
    send(
        parallel.look(),
        storeResponse ->
            step(
                () ->
                    sessionProtocol.lookedInParallel(
                        parallel.number(), storeResponse, timedExecutor.now())));
  }

  /** Sends a request; {@code receive} gets the response, or a failure, and perhaps both. */
  private void send(StoreRequest request, Consumer<StoreResponse> receive) {
    Future<?> expiry =
        after(
            requestTimeout.toNanos(),
            () ->
                receive.accept(
                    new StoreResponse.Failed(
                        "the store did not answer within " + requestTimeout.toMillis() + " ms")));
    objectStoreClient
        .ask(request)
        .thenAccept(
            storeResponse -> {
              expiry.cancel(false);
              sequentialExecutor.run(() -> receive.accept(storeResponse));
            });
  }

  /** A response that arrives after its timeout is ignored. */
  private void answered(long number, StoreResponse storeResponse) {
    if (number != asked) {
      return;
    }
    asked++;
    boolean fine = sessionProtocol.end().isEmpty();
    if (storeResponse instanceof StoreResponse.Failed failed) {
      LOG.debug("object={}: {}", name, failed.why());
    }
    step(() -> sessionProtocol.answered(storeResponse, timedExecutor.now()));
    if (fine && sessionProtocol.end().orElse(null) instanceof CallResult.Broken broken) {
      LOG.warn(
          "The session of an object failed, the object must be opened again. object={} "
              + "cause={}",
          name,
          broken.why());
    }
  }

  private void discard(String key) {
    store.remove(key).exceptionally(e -> null);
  }

  private void wakeAt(long nanos) {
    if (alarm != null) {
      alarm.cancel(false);
    }
    alarm =
        after(
            Math.max(0, nanos - timedExecutor.now()),
            () -> step(() -> sessionProtocol.wake(timedExecutor.now())));
  }

  private Future<?> after(long nanos, Runnable task) {
    return scheduled(nanos, () -> sequentialExecutor.run(task));
  }

  /** Schedules a task; after the factory was closed, the task is dropped. */
  private Future<?> scheduled(long nanos, Runnable task) {
    try {
      return timedExecutor.timer().schedule(task, nanos, NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedFuture(null);
    }
  }
}
