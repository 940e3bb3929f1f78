package io.ensemble.simulation.listen;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStamp;
import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.cache.listen.BuggyStream;
import io.ensemble.cache.listen.EncodedChangeStream;
import io.ensemble.cache.listen.ListenLimits;
import io.ensemble.listen.ChangeMerger;
import io.ensemble.listen.ListenPosition;
import io.ensemble.listen.MergerBug;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Several processes write a few keys of one cache under faults. A listener follows, and is
 * restarted from its position in another process now and then.
 */
public final class ListenWorkload {

  /** Opens the cache in a process. */
  @FunctionalInterface
  public interface Opener {
    CacheEngine open(SimClient client);
  }

  /**
   * The shape of a run.
   *
   * @param processes how many of the federation's first clients write; the next one listens
   * @param users how many users each process has
   * @param operations of all users together
   * @param gapNanos the longest pause between two operations of a user
   * @param isRestarted whether the listener is restarted now and then
   * @param isCounted whether overwritten writes are counted, so that none may be lost without a gap
   * @param isLinearizable whether a write may be shown only after a read can return it
   * @param isConditional whether users write by updates; otherwise without a condition
   */
  public record Shape(
      int keys,
      int processes,
      int users,
      int operations,
      long gapNanos,
      boolean isRestarted,
      boolean isCounted,
      boolean isLinearizable,
      boolean isConditional) {}

  private record Opened(SimClient client, CacheEngine engine) {}

  /** A write of a user, or a removal. */
  public record Written(
      String key,
      @Nullable Long value,
      @Nullable Stamp stamp,
      long calledNanos,
      long returnedNanos,
      boolean isRefused) {

    public boolean isAcknowledged() {
      return stamp != null;
    }
  }

  /** A read of a user that returned. */
  public record Read(String key, @Nullable Long value, long calledNanos) {}

  /** An event and the time at which the listener received it. */
  public record Received(ChangeEvent<Bytes, Payload> event, long nanos) {}

  private final SimFederation federation;
  private final Opener opener;
  private final SplittableRandom random;
  private final MergerBug bug;
  private final Shape shape;
  private final List<Written> writes = new ArrayList<>();
  private final List<Read> reads = new ArrayList<>();
  private final List<Received> events = new ArrayList<>();
  private long readyNanos = -1;
  private int restarts;
  private long lastValue;
  private int usersLeft;
  private @Nullable EncodedChangeStream stream;
  private @Nullable SimClient listener;
  private boolean isEnding;
  private boolean isCoveredAtEnd;

  public ListenWorkload(
      SimFederation federation,
      Opener opener,
      SplittableRandom random,
      MergerBug bug,
      Shape shape) {
    this.federation = federation;
    this.opener = opener;
    this.random = random;
    this.bug = bug;
    this.shape = shape;
    usersLeft = shape.processes() * shape.users();
    List<Opened> opened = new ArrayList<>();
    for (int i = 0; i < shape.processes(); i++) {
      opened.add(open(federation.clients().get(i)));
    }
    for (Opened process : opened) {
      for (int i = 0; i < shape.users(); i++) {
        step(process, shape.operations() / (shape.processes() * shape.users()));
      }
    }
    listen(federation.clients().get(shape.processes()), null);
    if (shape.isRestarted()) {
      restartLater();
    }
  }

  private Opened open(SimClient client) {
    return new Opened(client, opener.open(client));
  }

  /** Whether every user has ended. */
  public boolean isFinished() {
    return usersLeft == 0;
  }

  /** The faults have ended: lets the stream complete, and reads each key. */
  public void end() {
    isEnding = true;
    federation.run(Duration.ofSeconds(20));
    EncodedChangeStream last = Objects.requireNonNull(stream);
    long covered = last.position().watermark() + ChangeMerger.LATE_MICROS;
    isCoveredAtEnd = covered > federation.scheduler().epochMicros() - 10_000_000;
    last.close();
    Opened reader = open(federation.newClient());
    for (int key = 0; key < shape.keys(); key++) {
      read(reader, "k" + key);
    }
    federation.run(Duration.ofSeconds(5));
  }

  // Users.

  private void step(Opened process, int left) {
    SimScheduler scheduler = process.client().scheduler();
    if (left == 0) {
      usersLeft--;
      return;
    }
    scheduler.after(
        process.client().random().nextLong(1, shape.gapNanos()),
        () -> operate(process, () -> step(process, left - 1)));
  }

  private void operate(Opened process, Runnable then) {
    String key = "k" + random.nextInt(shape.keys());
    int kind = random.nextInt(10);
    if (kind < 2) {
      read(process, key);
      then.run();
      return;
    }
    Long value = kind == 9 ? null : Long.valueOf(++lastValue);
    SimScheduler scheduler = process.client().scheduler();
    long called = federation.scheduler().nanos();
    Payload payload = value == null ? null : HistoryPayloads.payload(value);
    Deadline deadline =
        Deadline.after(Duration.ofMillis(random.nextInt(6) == 0 ? 60 : 900), scheduler);
    write(process.engine(), key, payload, deadline)
        .whenComplete(
            (outcome, failure) -> {
              long now = federation.scheduler().nanos();
              boolean isRefused = outcome instanceof WriteOutcome.Refused;
              Stamp stamp = null;
              if (outcome instanceof WriteOutcome.Applied<Boolean> applied) {
                isRefused = !applied.wrote();
                stamp = applied.wrote() ? applied.stamp() : null;
              }
              writes.add(new Written(key, value, stamp, called, now, isRefused));
              then.run();
            });
  }

  private CompletionStage<WriteOutcome<Boolean>> write(
      CacheEngine engine, String key, @Nullable Payload payload, Deadline deadline) {
    if (shape.isConditional()) {
      return engine.update(
          HistoryPayloads.key(key),
          current ->
              payload == null && current == null
                  ? Update.Decision.keep(false)
                  : Update.Decision.write(payload, true),
          deadline);
    }
    return engine
        .write(HistoryPayloads.key(key), payload, deadline)
        .thenApply(ListenWorkload::withResult);
  }

  private static WriteOutcome<Boolean> withResult(WriteOutcome<Void> outcome) {
    if (outcome instanceof WriteOutcome.Applied<Void> applied) {
      return new WriteOutcome.Applied<>(true, applied.stamp(), applied.wrote());
    }
    return outcome instanceof WriteOutcome.Refused<Void> refused
        ? new WriteOutcome.Refused<>(refused.why())
        : new WriteOutcome.Unknown<>(
            new QuorumFailure(1, 1, Set.of(), Map.of("site", outcome.toString())));
  }

  private void read(Opened process, String key) {
    long called = federation.scheduler().nanos();
    process
        .engine()
        .read(
            HistoryPayloads.key(key),
            Deadline.after(Duration.ofMillis(900), process.client().scheduler()))
        .whenComplete(
            (found, failure) -> {
              if (failure == null) {
                reads.add(new Read(key, HistoryPayloads.number(found), called));
              }
            });
  }

  // The listener.

  private void listen(SimClient client, @Nullable ListenPosition from) {
    Opened opened = open(client);
    listener = client;
    ListenLimits limits =
        new ListenLimits(
            10_000,
            1_000,
            1_000,
            1 << 20,
            10_000,
            Duration.ofMillis(400),
            bug == MergerBug.SCANS_ONCE ? Duration.ofDays(1) : Duration.ofSeconds(3),
            Duration.ofSeconds(1));
    EncodedChangeStream opening =
        BuggyStream.open(opened.engine()::changes, from, limits, client.scheduler(), bug);
    stream = opening;
    opening
        .ready()
        .thenRun(
            () -> {
              if (readyNanos < 0) {
                readyNanos = federation.scheduler().nanos();
              }
            });
    receive(opening);
  }

  private void receive(EncodedChangeStream from) {
    from.next(Duration.ofSeconds(1))
        .whenComplete(
            (event, failure) -> {
              if (failure == null && stream == from) {
                event.ifPresent(one -> events.add(new Received(one, now())));
                receive(from);
              }
            });
  }

  private long now() {
    return federation.scheduler().nanos();
  }

  private void restartLater() {
    federation
        .scheduler()
        .after(
            random.nextLong(200_000_000, 3_000_000_000L),
            () -> {
              if (isEnding) {
                return;
              }
              EncodedChangeStream former = stream;
              if (readyNanos >= 0 && former != null) {
                ListenPosition position = ListenPosition.parse(former.position().toText());
                stream = null;
                former.close();
                federation.inject(new Fault.ClientCrash(Objects.requireNonNull(listener).name()));
                restarts++;
                federation
                    .scheduler()
                    .after(
                        random.nextLong(1, 2_000_000_000L),
                        () -> listen(federation.newClient(), position));
              }
              restartLater();
            });
  }

  // The judgement.

  /** What is wrong with the events; empty if nothing is. */
  public List<String> violations() {
    return violations((key, stamp) -> false);
  }

  /**
   * What is wrong with the events; empty if nothing is.
   *
   * @param mayBeLost whether the cache itself has lost the write of that key and stamp, as it may
   */
  public List<String> violations(BiPredicate<Bytes, Stamp> mayBeLost) {
    List<String> wrong = new ArrayList<>();
    Map<Long, Written> byValue = new HashMap<>();
    writes.stream().filter(one -> one.value() != null).forEach(w -> byValue.put(w.value(), w));
    Map<String, ChangeStamp> last = new HashMap<>();
    Map<String, Long> lastShown = new HashMap<>();
    Map<Long, ChangeStamp> stamps = new HashMap<>();
    Set<Long> shown = new HashSet<>();
    for (Received received : events) {
      if (!(received.event() instanceof Change<Bytes, Payload> change)) {
        continue;
      }
      String key = new String(change.key().array(), StandardCharsets.UTF_8);
      Long value = HistoryPayloads.number(change.value());
      ChangeStamp former = last.put(key, change.stamp());
      if (former != null && change.stamp().compareTo(former) <= 0) {
        wrong.add("order: " + key + " " + former + " then " + change.stamp());
      }
      lastShown.put(key, value);
      if (value != null) {
        stamps.put(value, change.stamp());
        if (!shown.add(value)) {
          wrong.add("repeated: " + key + "=" + value);
        }
        Written written = byValue.get(value);
        if (written != null && written.isRefused()) {
          wrong.add("refused, but shown: " + key + "=" + value);
        }
      }
    }
    if (shape.isLinearizable()) {
      judgeReads(stamps, wrong);
    }
    judgeLosses(stamps, mayBeLost, wrong);
    if (bug == MergerBug.NONE && !isCoveredAtEnd) {
      wrong.add("no round was completed at the end");
    }
    if (shape.isCounted() || shape.isLinearizable()) {
      events.stream()
          .filter(ListenWorkload::isRetention)
          .forEach(gap -> wrong.add("RETENTION is not expected: " + gap));
    }
    for (int i = 0; i < shape.keys(); i++) {
      judgeEnd("k" + i, lastShown, last.get("k" + i), mayBeLost, wrong);
    }
    return wrong;
  }

  /** A read that begins after an event returns its write or a later one. */
  private void judgeReads(Map<Long, ChangeStamp> stamps, List<String> wrong) {
    Map<String, TreeMap<Long, ChangeStamp>> known = new HashMap<>();
    for (Received received : events) {
      if (received.event() instanceof Change<Bytes, Payload> change) {
        known
            .computeIfAbsent(
                new String(change.key().array(), StandardCharsets.UTF_8), key -> new TreeMap<>())
            .merge(
                received.nanos(), change.stamp(), (one, other) -> one.isAfter(other) ? one : other);
      }
    }
    for (Read read : reads) {
      ChangeStamp of = read.value() == null ? null : stamps.get(read.value());
      Map.Entry<Long, ChangeStamp> before =
          known.getOrDefault(read.key(), new TreeMap<>()).lowerEntry(read.calledNanos());
      if (of != null && before != null && before.getValue().isAfter(of)) {
        wrong.add("not readable when shown: " + read + " at " + of + " after " + before);
      }
    }
  }

  /**
   * The stamp of each acknowledged write, or removal, is shown or covered by a gap; writes of a
   * batch share it. A value is shown with the stamp that its writer was told.
   */
  private void judgeLosses(
      Map<Long, ChangeStamp> stamps, BiPredicate<Bytes, Stamp> mayBeLost, List<String> wrong) {
    Set<Stamp> shownStamps = new HashSet<>();
    for (Received received : events) {
      if (received.event() instanceof Change<Bytes, Payload> change) {
        shownStamps.add(change.stamp().stamp());
      }
    }
    for (Written one : writes) {
      if (!one.isAcknowledged()) {
        continue;
      }
      ChangeStamp shown = one.value() == null ? null : stamps.get(one.value());
      if (shown != null && !shown.stamp().equals(one.stamp())) {
        wrong.add("another stamp: " + one + " shown at " + shown);
      }
      boolean isDue =
          readyNanos >= 0
              && one.calledNanos() > readyNanos
              && (shape.isCounted() || !isOverwritten(one));
      if (isDue
          && !shownStamps.contains(one.stamp())
          && !isInGap(one)
          && !mayBeLost.test(HistoryPayloads.key(one.key()), one.stamp())) {
        wrong.add("lost: " + one);
      }
    }
  }

  /** Whether a later write of the key was shown. */
  private boolean isOverwritten(Written one) {
    Stamp stamp = Objects.requireNonNull(one.stamp());
    return events.stream()
        .anyMatch(
            received ->
                received.event() instanceof Change<Bytes, Payload> change
                    && change.key().equals(HistoryPayloads.key(one.key()))
                    && change.stamp().stamp().isAfter(stamp));
  }

  private boolean isInGap(Written one) {
    Stamp stamp = Objects.requireNonNull(one.stamp());
    for (Received received : events) {
      if (received.event() instanceof Gap<Bytes, Payload> gap) {
        boolean isOfKey =
            gap.key().map(key -> key.equals(HistoryPayloads.key(one.key()))).orElse(true);
        if (isOfKey && stamp.isAfter(gap.after().stamp()) && gap.before().stamp().isAfter(stamp)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isRetention(Received received) {
    return received.event() instanceof Gap<Bytes, Payload> gap
        && gap.reason() == GapReason.RETENTION;
  }

  /**
   * The last event of a key shows its last value, unless a gap after it says that the reader must
   * read the cache, and the last value can have been there by then, or the cache has lost it.
   */
  private void judgeEnd(
      String key,
      Map<String, Long> lastShown,
      @Nullable ChangeStamp last,
      BiPredicate<Bytes, Stamp> mayBeLost,
      List<String> wrong) {
    Optional<Read> end = Optional.empty();
    for (Read read : reads) {
      end = read.key().equals(key) ? Optional.of(read) : end;
    }
    if (end.isPresent()
        && lastShown.containsKey(key)
        && !Objects.equals(lastShown.get(key), end.get().value())
        && !isToBeRead(key, end.get().value())
        && !(last != null && mayBeLost.test(HistoryPayloads.key(key), last.stamp()))) {
      wrong.add("at the end: " + key + "=" + end.get().value() + ", shown " + lastShown.get(key));
    }
  }

  /**
   * Whether a gap of reason {@code RETENTION} came after the last event of the key, and after the
   * call of the write of its last value.
   */
  private boolean isToBeRead(String key, @Nullable Long value) {
    int lastOfKey = -1;
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i).event() instanceof Change<Bytes, Payload> change
          && change.key().equals(HistoryPayloads.key(key))) {
        lastOfKey = i;
      }
    }
    OptionalLong called = lastCall(key, value);
    return called.isPresent()
        && events.subList(lastOfKey + 1, events.size()).stream()
            .anyMatch(one -> isRetention(one) && one.nanos() >= called.getAsLong());
  }

  /** When the write of that value was called, or the last removal if the value is null. */
  private OptionalLong lastCall(String key, @Nullable Long value) {
    return writes.stream()
        .filter(one -> one.key().equals(key) && Objects.equals(one.value(), value))
        .mapToLong(Written::calledNanos)
        .max();
  }

  /** How many acknowledged writes there were. */
  public long acknowledged() {
    return writes.stream().filter(Written::isAcknowledged).count();
  }

  /** How many changes were shown. */
  public long shown() {
    return events.stream().filter(one -> one.event() instanceof Change).count();
  }

  /** How often the listener was restarted. */
  public int restarts() {
    return restarts;
  }

  /** How many gaps of this reason were shown. */
  public long gaps(GapReason reason) {
    return events.stream()
        .filter(one -> one.event() instanceof Gap<Bytes, Payload> gap && gap.reason() == reason)
        .count();
  }
}
