package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.VirtualFederation;
import io.ensemble.simulation.SimFederation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many calls a second clients of one object make together, in virtual time. */
class CounterTimingTest {

  private static final Duration LONG = Duration.ofMinutes(30);
  private static final Duration RUN = Duration.ofSeconds(3);

  /** A counter. */
  public static class Count {
    private long value;

    /** Adds one. */
    public long increment() {
      return ++value;
    }
  }

  private static final class Client {
    private final AtomicObjectFactory factory;
    private final Count count;
    private final long[] calls;

    Client(AtomicObjectFactory factory, Count count, long[] calls) {
      this.factory = factory;
      this.count = count;
      this.calls = calls;
    }

    void next() {
      factory
          .async(count, Count::increment)
          .whenComplete(
              (value, failure) -> {
                assertThat(failure).isNull();
                calls[0]++;
                next();
              });
    }
  }

  /**
   * A compare-and-set loop makes 238 steps a second, one a round trip, for any number of clients.
   */
  @ParameterizedTest
  @CsvSource({"1,1,215", "4,8,630"})
  void callsOfSeveralProcessesShareSteps(int processes, int clients, double callsPerSecond) {
    assertThat(callsPerSecond(processes, clients)).isGreaterThan(callsPerSecond);
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"2,2,200", "4,4,300", "4,16,1250", "4,32,2500"})
  void callsOfMoreClientsShareSteps(int processes, int clients, double callsPerSecond) {
    assertThat(callsPerSecond(processes, clients)).isGreaterThan(callsPerSecond);
  }

  private static double callsPerSecond(int processes, int clients) {
    VirtualFederation virtual = new VirtualFederation(Duration.ofMillis(2), 1);
    SimFederation federation = virtual.federation();
    List<AtomicObjectFactory> factories = new ArrayList<>();
    List<Count> counts = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      AtomicObjectFactory factory = virtual.process();
      factories.add(factory);
      counts.add(
          federation.get(factory.openOrCreateAsync("count", ObjectType.of(Count.class)), LONG));
    }
    long[] calls = new long[1];
    for (int i = 0; i < clients; i++) {
      new Client(factories.get(i % processes), counts.get(i % processes), calls).next();
    }
    federation.run(RUN);
    calls[0] = 0;
    federation.run(RUN);
    return calls[0] / (double) RUN.toSeconds();
  }
}
