package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.VirtualFederation;
import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.link.LeaseClock;
import io.ensemble.objects.sync.permit.PermitState;
import io.ensemble.simulation.SimFederation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How long it takes to enter and leave a lock that several processes use, in virtual time. */
class LockTimingTest {

  private static final Duration ONE_WAY = Duration.ofMillis(2);
  private static final Duration LONG = Duration.ofMinutes(30);
  private static final Duration LEASE = Duration.ofSeconds(10);

  private static double[] times(
      VirtualFederation virtual, int processes, double arrivalsPerSecond, int entries, long seed) {
    SimFederation federation = virtual.federation();
    List<PermitClient> clients = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      AtomicObjectFactory factory = virtual.process();
      PermitState lock =
          federation.get(
              factory.openOrCreateAsync(
                  "lock",
                  ObjectType.of(PermitState.class, () -> new PermitState(1))
                      .named("ensemble lock")),
              LONG);
      clients.add(
          new PermitClient(new FactoryLink<>(factory, LeaseClock.of(factory), lock), LEASE));
    }
    SplittableRandom random = new SplittableRandom(seed);
    double[] times = new double[entries];
    int[] ended = new int[1];
    int[] failures = new int[1];
    long[] lastToken = new long[1];
    double at = 0;
    for (int i = 0; i < entries; i++) {
      at += -Math.log(1 - random.nextDouble()) / arrivalsPerSecond * 1e9;
      PermitClient client = clients.get(random.nextInt(processes));
      int number = i;
      federation
          .scheduler()
          .after(
              (long) at,
              () -> {
                long begin = federation.scheduler().nanos();
                client
                    .claim(1, "", Duration.ofSeconds(30))
                    .thenCompose(
                        grant -> {
                          assertThat(grant.orElseThrow().token()).isGreaterThan(lastToken[0]);
                          lastToken[0] = grant.orElseThrow().token();
                          return grant.orElseThrow().releaseAsync();
                        })
                    .whenComplete(
                        (released, failure) -> {
                          failures[0] += failure == null ? 0 : 1;
                          times[number] = (federation.scheduler().nanos() - begin) / 1e6;
                          ended[0]++;
                        });
              });
    }
    federation.run(() -> ended[0] == entries, LONG);
    assertThat(ended[0]).isEqualTo(entries);
    assertThat(failures[0]).isZero();
    Arrays.sort(times);
    return times;
  }

  /** Without rivals: a read, a step to lock and a step to unlock, 4.2 ms each. */
  @ParameterizedTest
  @CsvSource({"10,18", "40,24"})
  void anEntryTakesLittleLongerWithRivals(double arrivals, double meanMillis) {
    verifyMean(arrivals, meanMillis);
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"1,15", "20,18", "80,45"})
  void anEntryTakesLittleLongerWithFewerOrMoreRivals(double arrivals, double meanMillis) {
    verifyMean(arrivals, meanMillis);
  }

  private static void verifyMean(double arrivals, double meanMillis) {
    verifyMean(new VirtualFederation(ONE_WAY, 1), arrivals, meanMillis);
  }

  /**
   * Messages that overtake one another on their way to different replicas, as on processors that
   * are busy: two steps at a time then split the votes.
   */
  @ParameterizedTest
  @CsvSource({"10,28", "20,34", "40,60"})
  void anEntryTakesLittleLongerWhereMessagesAreLate(double arrivals, double meanMillis) {
    Duration added = Duration.ofMillis(1);
    verifyMean(
        new VirtualFederation(ONE_WAY, added, Duration.ofMillis(22), 1), arrivals, meanMillis);
  }

  private static void verifyMean(VirtualFederation virtual, double arrivals, double meanMillis) {
    double[] times = times(virtual, 4, arrivals, 500, 1);
    double mean = Arrays.stream(times).average().orElseThrow();
    assertThat(mean).isLessThan(meanMillis);
  }
}
