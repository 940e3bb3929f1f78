package io.ensemble.simulation.change;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.ensemble.change.ChangeRules;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.listen.ListenPosition;
import io.ensemble.listen.MergerBug;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.migrate.Mover;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Bytes;
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
import java.util.stream.Collectors;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener goes on, or resumes, while an MWMR cache moves to other sites. */
@Execution(ExecutionMode.CONCURRENT)
class ListenAcrossChangesTest {

  private static final int KEYS = 4;
  private static final ListenLimits LIMITS =
      new ListenLimits(
          10_000,
          1_000,
          1_000,
          1 << 20,
          10_000,
          Duration.ofMillis(400),
          Duration.ofSeconds(3),
          Duration.ofMillis(200));

  /** One run: a cache with two writing processes and a listener, which is changed twice. */
  private static final class Run {
    final ChangeFixture scene;
    final SimFederation federation;
    final SplittableRandom random;
    final Map<String, Long> lastAcknowledged = new HashMap<>();
    final Map<Long, String> acknowledged = new HashMap<>();
    final List<ChangeEvent<Bytes, Payload>> events = new ArrayList<>();
    long lastValue;
    boolean isOver;
    EncodedChangeStream stream;

    Run(long seed) {
      ConfigurationLeaseRules leases = ConfigurationLeaseRules.STANDARD;
      scene = new ChangeFixture(seed, MessageFaults.lossy(0.01), leases, new ChangeRules(leases));
      federation = scene.federation();
      random = new SplittableRandom(seed);
      scene.create(ChangeFixture.strong("s0", "s1", "s2"));
      for (int i = 0; i < 2; i++) {
        SimClient client = federation.newClient();
        write(client, scene.open(client), i);
      }
    }

    /** Each key has one writer, so that its last acknowledged value is known. */
    private void write(SimClient client, ConfigurationFollower cache, int process) {
      if (isOver) {
        return;
      }
      String key = "k" + (2 * random.nextInt(KEYS / 2) + process);
      long value = ++lastValue;
      cache
          .engine()
          .write(
              HistoryPayloads.key(key),
              HistoryPayloads.payload(value),
              Deadline.after(Duration.ofSeconds(4), client.scheduler()))
          .whenComplete(
              (outcome, failure) -> {
                if (outcome instanceof WriteOutcome.Applied) {
                  acknowledged.put(value, key);
                  lastAcknowledged.put(key, value);
                } else {
                  lastAcknowledged.remove(key); // Not known which value is the last one.
                }
                client
                    .scheduler()
                    .after(random.nextLong(1, 100_000_000), () -> write(client, cache, process));
              });
    }

    void listen(ListenPosition from) {
      SimClient client = federation.newClient();
      ConfigurationFollower cache = scene.open(client);
      EncodedChangeStream opened =
          BuggyStream.open(
              cache.engine()::changes, from, LIMITS, client.scheduler(), MergerBug.NONE);
      stream = opened;
      federation.get(opened.ready(), ChangeFixture.LIMIT);
      receive(opened);
    }

    private void receive(EncodedChangeStream from) {
      from.next(Duration.ofSeconds(1))
          .whenComplete(
              (event, failure) -> {
                if (failure == null && stream == from) {
                  event.ifPresent(events::add);
                  receive(from);
                }
              });
    }

    void alter(String... sites) {
      Mover mover =
          scene.alter(federation.newClient(), ChangeFixture.strong(sites), 0, action -> {});
      federation.run(() -> mover.completion().toCompletableFuture().isDone(), ChangeFixture.LIMIT);
    }

    void end() {
      federation.run(Duration.ofSeconds(5));
      isOver = true;
      federation.run(Duration.ofSeconds(30));
      stream.close();
    }

    Optional<Gap<Bytes, Payload>> gap(GapReason reason) {
      for (ChangeEvent<Bytes, Payload> event : events) {
        if (event instanceof Gap<Bytes, Payload> gap && gap.reason() == reason) {
          return Optional.of(gap);
        }
      }
      return Optional.empty();
    }

    private String about(String key) {
      return events.stream()
          .filter(
              one ->
                  !(one instanceof Change<Bytes, Payload> change)
                      || HistoryPayloads.key(key).equals(change.key()))
          .map(one -> one.map(k -> "", HistoryPayloads::number).toString())
          .collect(Collectors.joining("\n"));
    }

    /** Once each, in order, and at the end the last value. */
    void judge() {
      Map<String, ChangeStamp> last = new HashMap<>();
      Map<String, Long> shown = new HashMap<>();
      Set<Long> all = new HashSet<>();
      for (ChangeEvent<Bytes, Payload> event : events) {
        if (event instanceof Change<Bytes, Payload> change) {
          String key = new String(change.key().array(), StandardCharsets.UTF_8);
          long value = Objects.requireNonNull(HistoryPayloads.number(change.value()));
          assertThat(all.add(value)).as("once: " + change + " in " + about(key)).isTrue();
          ChangeStamp former = last.put(key, change.stamp());
          assertThat(former == null || change.stamp().isAfter(former)).as("order").isTrue();
          shown.put(key, value);
        }
      }
      lastAcknowledged.forEach((key, value) -> assertThat(shown).containsEntry(key, value));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aStreamGoesOn(long seed) {
    Run run = new Run(seed);
    run.federation.run(Duration.ofSeconds(1));
    run.listen(null);
    run.alter("s1", "s2", "s3");
    run.federation.run(Duration.ofSeconds(5));
    run.alter("s0", "s2", "s3");
    run.end();

    run.judge();
    assertThat(run.gap(GapReason.RECONFIGURED)).isPresent();
  }

  /** The values that the move has taken over were shown before it. */
  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void aStreamThatSawTheMoveResumesAfterIt(long seed) {
    Run run = new Run(seed);
    run.federation.run(Duration.ofSeconds(1));
    run.listen(null);
    run.federation.run(Duration.ofSeconds(3));
    run.isOver = true; // The keys keep the values that the move takes over.
    run.federation.run(Duration.ofSeconds(5));
    run.alter("s1", "s2", "s3");
    run.federation.run(Duration.ofSeconds(10));
    ListenPosition position = run.stream.position();
    EncodedChangeStream former = run.stream;
    run.stream = null;
    former.close();
    run.listen(position);
    run.end();

    run.judge();
    assertThat(run.gap(GapReason.RETENTION)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void aStreamResumesInAnotherConfiguration(long seed) {
    Run run = new Run(seed);
    run.listen(null);
    run.federation.run(Duration.ofSeconds(3));
    ListenPosition position = run.stream.position();
    EncodedChangeStream former = run.stream;
    run.stream = null;
    former.close();
    run.alter("s1", "s2", "s3");
    run.listen(position);
    run.end();

    run.judge();
    assertThat(run.gap(GapReason.RETENTION).or(() -> run.gap(GapReason.RECONFIGURED))).isPresent();
  }
}
