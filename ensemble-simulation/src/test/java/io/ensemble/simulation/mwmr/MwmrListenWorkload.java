package io.ensemble.simulation.mwmr;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStamp;
import io.ensemble.WriteOutcome;
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
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.RandomFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
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
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Several processes write a few keys of one MWMR cache under faults. A listener follows, and is
 * restarted from its position in another process now and then. In a third of the runs, sites are
 * wiped and refilled one after the other.
 */
final class MwmrListenWorkload {

  private static final Duration FAULTY = Duration.ofSeconds(6);

  /** A write of a user, or a removal. */
  record Written(
      String key,
      @Nullable Long value,
      @Nullable Stamp stamp,
      long calledNanos,
      long returnedNanos,
      boolean isRefused) {

    boolean isAcknowledged() {
      return stamp != null;
    }
  }

  /** A read of a user that returned. */
  record Read(String key, @Nullable Long value, long calledNanos) {}

  /** An event and the time at which the listener received it. */
  record Received(ChangeEvent<Bytes, Payload> event, long nanos) {}

  private final SimFederation federation;
  private final MwmrSimCache cache;
  private final SplittableRandom random;
  private final MergerBug bug;
  private final int keys;
  private final List<String> sites;
  final List<Written> writes = new ArrayList<>();
  final List<Read> reads = new ArrayList<>();
  final List<Received> events = new ArrayList<>();
  long readyNanos = -1;
  int restarts;
  private long lastValue;
  private int usersLeft;
  private @Nullable EncodedChangeStream stream;
  private @Nullable Opened listener;
  private boolean isEnding;
  private boolean isCoveredAtEnd;
  private final MwmrOperator operator;

  MwmrListenWorkload(int siteCount, long seed, MergerBug bug) {
    this.bug = bug;
    SplittableRandom shape = new SplittableRandom(seed);
    sites = IntStream.range(0, siteCount).mapToObj(i -> "s" + i).toList();
    int processes = 2 + shape.nextInt(2);
    keys = 1 + shape.nextInt(4);
    boolean isRecovering = siteCount > 2 && shape.nextInt(3) == 0;
    double each = new double[] {0, 0.01, 0.05, 0.1}[shape.nextInt(4)];
    MessageFaults chances = MessageFaults.lossy(each).withDenied(shape.nextDouble() * 0.2);
    RandomFaults faults =
        RandomFaults.all()
            .withMemoryLoss(!isRecovering && shape.nextBoolean())
            .withChances(chances)
            .withEpisodes(shape.nextInt(20))
            .withClientCrashes(0);
    List<String> clients = IntStream.rangeClosed(0, processes).mapToObj(i -> "c" + i).toList();
    federation =
        SimFederation.builder()
            .sites(sites.toArray(String[]::new))
            .clients(processes + 1)
            .seed(seed)
            .maxSkewMicros(seed % 3 == 0 ? 0 : 50_000)
            .plan(SimFaultPlan.random(seed, sites, clients, FAULTY, faults))
            .build();
    cache = new MwmrSimCache(federation, Duration.ofSeconds(1), Duration.ofMinutes(10));
    random = shape.split();
    int users = 1 + shape.nextInt(3);
    long gapNanos = shape.nextBoolean() ? 20_000_000 : 200_000_000;
    usersLeft = processes * users;
    List<Opened> opened = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      opened.add(cache.open(federation.clients().get(i)));
    }
    for (Opened process : opened) {
      for (int i = 0; i < users; i++) {
        step(process, 180 / (processes * users), gapNanos);
      }
    }
    listen(federation.clients().get(processes), null);
    if (shape.nextBoolean()) {
      restartLater();
    }
    operator =
        new MwmrOperator(
            cache, cache.open(federation.newClient()), RefillBug.NONE, isRecovering ? 2 : 0);
    operator.start();
  }

  MwmrListenWorkload run() {
    federation.run(() -> usersLeft == 0 && operator.isFinished(), Duration.ofMinutes(10));
    federation.run(FAULTY);
    federation.inject(new Fault.Change(MessageFaults.reliable()));
    isEnding = true;
    federation.run(Duration.ofSeconds(20));
    EncodedChangeStream last = Objects.requireNonNull(stream);
    long covered = last.position().watermark() + ChangeMerger.LATE_MICROS;
    isCoveredAtEnd = covered > federation.scheduler().epochMicros() - 10_000_000;
    last.close();
    Opened reader = cache.open(federation.newClient());
    for (int key = 0; key < keys; key++) {
      read(reader, "k" + key);
    }
    federation.run(Duration.ofSeconds(5));
    return this;
  }

  // Users.

  private void step(Opened process, int left, long gapNanos) {
    SimScheduler scheduler = process.client().scheduler();
    if (left == 0) {
      usersLeft--;
      return;
    }
    scheduler.after(
        process.client().random().nextLong(1, gapNanos),
        () -> operate(process, () -> step(process, left - 1, gapNanos)));
  }

  private void operate(Opened process, Runnable then) {
    String key = "k" + random.nextInt(keys);
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
    process
        .engine()
        .<Boolean>update(
            HistoryPayloads.key(key),
            current ->
                value == null && current == null
                    ? Update.Decision.keep(false)
                    : Update.Decision.write(payload, true),
            deadline)
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
    Opened opened = cache.open(client);
    listener = opened;
    ListenLimits limits =
        new ListenLimits(
            10_000,
            1_000,
            1_000,
            1 << 20,
            10_000,
            Duration.ofMillis(400),
            bug == MergerBug.SCANS_ONCE ? Duration.ofDays(1) : Duration.ofSeconds(3));
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
                federation.inject(
                    new Fault.ClientCrash(Objects.requireNonNull(listener).client().name()));
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
  List<String> violations() {
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
    judgeReads(stamps, wrong);
    judgeLosses(stamps, wrong);
    if (bug == MergerBug.NONE && !isCoveredAtEnd) {
      wrong.add("no round was completed at the end");
    }
    for (int i = 0; i < keys; i++) {
      judgeEnd("k" + i, lastShown, wrong);
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
  private void judgeLosses(Map<Long, ChangeStamp> stamps, List<String> wrong) {
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
      boolean isDue = readyNanos >= 0 && one.calledNanos() > readyNanos;
      if (isDue && !shownStamps.contains(one.stamp()) && !isInGap(one)) {
        wrong.add("lost: " + one);
      }
    }
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

  /** The last event of a key shows its last value. */
  private void judgeEnd(String key, Map<String, Long> lastShown, List<String> wrong) {
    Optional<Read> end = Optional.empty();
    for (Read read : reads) {
      end = read.key().equals(key) ? Optional.of(read) : end;
    }
    if (end.isPresent()
        && lastShown.containsKey(key)
        && !Objects.equals(lastShown.get(key), end.get().value())) {
      wrong.add("at the end: " + key + "=" + end.get().value() + ", shown " + lastShown.get(key));
    }
  }

  /** How many wiped sites were refilled. */
  int recovered() {
    return operator.recovered();
  }

  long gaps(GapReason reason) {
    return events.stream()
        .filter(one -> one.event() instanceof Gap<Bytes, Payload> gap && gap.reason() == reason)
        .count();
  }
}
