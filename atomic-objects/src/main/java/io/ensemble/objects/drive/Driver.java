package io.ensemble.objects.drive;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.ensemble.objects.course.Answer;
import io.ensemble.objects.course.Course;
import io.ensemble.objects.course.Effect;
import io.ensemble.objects.course.Request;
import io.ensemble.objects.course.Verdict;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.root.Batch;
import io.ensemble.objects.root.Bytes;
import io.ensemble.objects.root.Root;
import io.ensemble.objects.root.Wire;
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
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one session of one object. Thread-safe; everything that concerns the course happens in
 * order, on the executor. It costs no thread, and while there is nothing to do, no timer.
 */
public final class Driver {

  private static final Logger LOG = LoggerFactory.getLogger(Driver.class);

  /** Why calls end, and are refused from then on, where an invariant of ours turns out broken. */
  public static final String FAULT = "the session ended by a fault; see the log";

  /** How long after its time a call that waits for its turn is told so. */
  private static final long GRACE_NANOS = 500_000_000;

  private final String name;
  private final Course course;
  private final ObjectStore store;
  private final Requests requests;
  private final Clockwork clockwork;
  private final Duration requestTimeout;
  private final Serial serial;
  private final Map<Long, CompletableFuture<Verdict>> callers = new ConcurrentHashMap<>();
  private final AtomicLong calls = new AtomicLong();
  private final Heard heard = new Heard();
  private final CompletableFuture<Void> done = new CompletableFuture<>();
  private @Nullable Future<?> alarm;
  private volatile boolean ended;
  private volatile boolean abandoned;
  private volatile boolean failed;
  private long asked;

  /** Drives {@code course}, which nobody else touches from now on. */
  public Driver(
      String name, Course course, ObjectStore store, Clockwork clockwork, Duration requestTimeout) {
    this.name = name;
    this.course = course;
    this.store = store;
    this.requests = new Requests(store, name);
    this.clockwork = clockwork;
    this.requestTimeout = requestTimeout;
    this.serial = new Serial(clockwork.executor());
  }

  /**
   * Makes a call. The stage never fails. It completes in the course's turn: what depends on it and
   * may take its time hops to the {@linkplain #executor executor} first.
   */
  public CompletionStage<Verdict> call(byte[] call, Duration timeout) {
    return made(timeout, id -> course.call(id, Bytes.of(call), clockwork.now()));
  }

  /** Makes a call that changes nothing. */
  public CompletionStage<Verdict> read(byte[] call, boolean sequential, Duration timeout) {
    return made(timeout, id -> course.read(id, Bytes.of(call), sequential, clockwork.now()));
  }

  /** The object may have changed; {@code entry} is what its root is or was, if that was told. */
  public void changed(Optional<Entry> entry) {
    if (heard.root(entry)) {
      serial.run(this::hear);
    }
  }

  /** A session may have posted a batch; {@code entry} is what its mailbox holds, or held. */
  public void mail(UUID session, Optional<Entry> entry) {
    if (heard.mail(session, entry)) {
      serial.run(this::hear);
    }
  }

  private void hear() {
    Heard.Events events = heard.all();
    if (events.changed()) {
      Optional<Root> told = events.root().flatMap(e -> readable(Wire::root, e));
      step(
          () ->
              told.isPresent()
                  ? course.told(told.get(), events.root().get().token(), clockwork.now())
                  : course.hint(clockwork.now()));
    }
    events
        .mail()
        .forEach(
            (sender, entry) -> {
              Optional<Batch> batch = entry.flatMap(e -> readable(Wire::batch, e));
              step(
                  () ->
                      batch.isPresent()
                          ? course.mail(batch.get(), clockwork.now())
                          : course.mail(sender, clockwork.now()));
            });
  }

  /** What cannot be read is looked at, which tells. */
  private static <T> Optional<T> readable(Function<byte[], T> reading, Entry entry) {
    try {
      return Optional.of(reading.apply(entry.value()));
    } catch (UnreadableException e) {
      return Optional.empty();
    }
  }

  /** Ends when what is under way has ended, or after {@code atMost}; no call ends after that. */
  public CompletionStage<Void> close(Duration atMost) {
    serial.run(() -> step(() -> course.close(clockwork.now())));
    return done.copy()
        .orTimeout(atMost.toNanos(), NANOSECONDS)
        .exceptionally(e -> null)
        .thenRun(this::abandon);
  }

  /** Whether every call is refused from now on. */
  public boolean hasEnded() {
    return ended;
  }

  /** Runs {@code task} after a while. */
  public void after(Duration pause, Runnable task) {
    after(pause.toNanos(), task);
  }

  /** What everything runs on. */
  public Executor executor() {
    return clockwork.executor();
  }

  private CompletionStage<Verdict> made(Duration timeout, Function<Long, List<Effect>> handing) {
    long id = calls.incrementAndGet();
    CompletableFuture<Verdict> caller = new CompletableFuture<>();
    callers.put(id, caller);
    if (abandoned || failed) {
      end(id, new Verdict.Refused(failed ? FAULT : "the object is closed"));
      return caller;
    }
    Future<?> expiry = scheduled(timeout.toNanos(), () -> expire(id, timeout));
    caller.whenComplete((verdict, failure) -> expiry.cancel(false));
    serial.run(
        () -> {
          if (!caller.isDone()) {
            step(() -> handing.apply(id));
          }
        });
    return caller;
  }

  /** On the timer, which must not depend on a turn: a method may hold that up for ever. */
  private void expire(long id, Duration timeout) {
    String why = "no answer within " + timeout.toMillis() + " ms";
    scheduled(
        GRACE_NANOS,
        () -> end(id, new Verdict.Unknown(why + "; this process is busy with the object's calls")));
    serial.run(
        () -> {
          if (callers.containsKey(id)) {
            end(
                id,
                course.takeBack(id)
                    ? new Verdict.Refused(why + "; it was not begun")
                    : new Verdict.Unknown(why));
          }
        });
  }

  private void end(long id, Verdict verdict) {
    CompletableFuture<Verdict> caller = callers.remove(id);
    if (caller != null) {
      caller.complete(verdict);
    }
  }

  /** Nobody waits for it any more: it asks no further, and what has not ended ends unknown. */
  private void abandon() {
    abandoned = true;
    done.complete(null);
    endAll("the object was closed here while the call was under way");
  }

  /** One thing for the course. A broken invariant ends this session, and nothing else. */
  private void step(Supplier<List<Effect>> thing) {
    if (failed || abandoned) {
      endAll(FAULT);
      return;
    }
    try {
      perform(thing.get());
    } catch (RuntimeException | Error e) {
      LOG.error("An atomic object's session ends by a fault. object={}", name, e);
      failed = true;
      ended = true;
      endAll(FAULT);
    }
  }

  private void endAll(String why) {
    callers.keySet().forEach(id -> end(id, new Verdict.Unknown(why)));
    done.complete(null);
  }

  private void perform(List<Effect> effects) {
    for (Effect effect : effects) { // What takes a round trip goes out first.
      if (effect instanceof Effect.Ask ask) {
        ask(ask.request());
      }
    }
    for (Effect effect : effects) {
      if (effect instanceof Effect.Settle settle) {
        end(settle.call(), settle.verdict());
      } else if (effect instanceof Effect.WakeAt wake) {
        wakeAt(wake.nanos());
      } else if (effect instanceof Effect.DropMailbox drop) {
        discard(Keys.mailbox(drop.birth(), drop.session()));
      } else if (effect instanceof Effect.DropSnapshot drop) {
        discard(Keys.snapshot(drop.snapshot()));
      }
    }
    ended |= course.end().isPresent();
    if (course.isDone()) {
      done.complete(null);
    }
  }

  private void ask(Request request) {
    long number = ++asked;
    Future<?> expiry =
        after(
            requestTimeout.toNanos(),
            () ->
                answered(
                    number,
                    new Answer.Failed(
                        "the store did not answer within " + requestTimeout.toMillis() + " ms")));
    requests
        .ask(request)
        .thenAccept(
            answer -> {
              expiry.cancel(false);
              serial.run(() -> answered(number, answer));
            });
  }

  /** An answer that comes after it was given up is not heard. */
  private void answered(long number, Answer answer) {
    if (number != asked) {
      return;
    }
    asked++;
    boolean fine = course.end().isEmpty();
    if (answer instanceof Answer.Failed failed) {
      LOG.debug("object={}: {}", name, failed.why());
    }
    step(() -> course.answered(answer, clockwork.now()));
    if (fine && course.end().orElse(null) instanceof Verdict.Broken broken) {
      LOG.warn("An object cannot be used here any more. object={} cause={}", name, broken.why());
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
        after(Math.max(0, nanos - clockwork.now()), () -> step(() -> course.wake(clockwork.now())));
  }

  private Future<?> after(long nanos, Runnable task) {
    return scheduled(nanos, () -> serial.run(task));
  }

  /** What was to happen after the factory has closed does not. */
  private Future<?> scheduled(long nanos, Runnable task) {
    try {
      return clockwork.timer().schedule(task, nanos, NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedFuture(null);
    }
  }
}
