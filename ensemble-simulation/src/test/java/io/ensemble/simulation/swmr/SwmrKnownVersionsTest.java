package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The writer's next write of a key does not read the other sites first: it uses the entry versions
 * that its last write left there. These may be obsolete.
 */
class SwmrKnownVersionsTest {

  private static final String PRIMARY = "lyon";

  private final SimFederation federation = SimFederation.builder().clients(0).seed(9).build();
  private final SwmrSimCache scene = new SwmrSimCache(federation);
  private final SimClient client = federation.newClient();
  private final OpenSwmrCache cache = scene.open(client);

  @Test
  void theFirstWriteOfAKeyAsksAndTheNextDoesNot() {
    write(cache, 1);
    assertThat(readsOfOthersIn(() -> write(cache, 2))).isZero();
    assertThat(readsOfOthersIn(() -> write(cache, 3))).isZero();

    assertThat(read(scene.open(federation.newClient()))).isEqualTo(3);
  }

  /**
   * The reads of a new key are sent together with the primary's, and the write does not wait for
   * them.
   */
  @Test
  void aNewKeyIsWrittenToTheOthersAsSoonAsThePrimaryHasNone() {
    write(cache, HistoryPayloads.key("other"), 1);
    federation.run(Duration.ofSeconds(20)); // The term is whole then.
    federation.inject(new Fault.Slow("oslo", 50));
    federation.inject(new Fault.Slow("rome", 50));
    int before = federation.trace().lines().size();

    write(cache, 2);

    List<String> others =
        federation.trace().lines().stream()
            .skip(before)
            .filter(line -> !line.contains(" " + PRIMARY + " ") && line.contains("#"))
            .toList();
    List<String> untilAnswered = others.stream().takeWhile(line -> !line.endsWith(" <")).toList();
    for (String site : List.of("oslo", "rome")) {
      assertThat(untilAnswered)
          .as("%s", others)
          .anyMatch(line -> line.contains(" " + site + " ") && line.contains("> putIfAbsent"));
    }
    assertThat(read(scene.open(federation.newClient()))).isEqualTo(2);
  }

  @Test
  void aConditionThatDoesNotHoldKeepsWhatIsKnown() {
    write(cache, 1);
    assertThat(
            scene.get(
                cache.<Boolean>update(
                    HistoryPayloads.key("k"), now -> Decision.keep(false), in(20))))
        .isInstanceOf(WriteOutcome.Applied.class);

    assertThat(readsOfOthersIn(() -> write(cache, 2))).isZero();
  }

  @Test
  void whatIsKnownEndsWithTheTermAndIsLearntAnew() {
    write(cache, 1);
    scene.get(cache.promote("oslo", in(60)));
    scene.get(cache.promote(PRIMARY, in(60)));

    assertThat(readsOfOthersIn(() -> write(cache, 2))).as("another term").isPositive();
    // A read of the record of terms may come between; it is in the trace as well.
    assertThat(
            LongStream.rangeClosed(3, 6)
                .map(value -> readsOfOthersIn(() -> write(cache, value)))
                .min())
        .hasValue(0);
  }

  @Test
  void versionsThatAnotherWriterHasReplacedAreFoundOut() {
    write(cache, 1);
    scene.get(cache.resign());
    OpenSwmrCache other = scene.open(federation.newClient());
    write(other, 2);
    scene.get(other.resign());

    write(cache, 3);

    assertThat(read(other)).isEqualTo(3);
    for (String site : federation.siteNames()) {
      scene.get(cache.promote(site, in(60)));
      assertThat(read(other)).as(site).isEqualTo(3);
    }
  }

  /** The number of reads of sites other than the primary, before the first write to one of them. */
  private long readsOfOthersIn(Runnable write) {
    federation.run(Duration.ofMillis(300));
    int before = federation.trace().lines().size();
    write.run();
    List<String> asked =
        federation.trace().lines().stream()
            .skip(before)
            .filter(line -> line.contains(" > ") && !line.contains(" " + PRIMARY + " "))
            .toList();
    assertThat(asked).anyMatch(line -> line.contains("> replace"));
    return asked.stream().takeWhile(line -> line.contains("> read")).count();
  }

  private Deadline in(long seconds) {
    return Deadline.after(Duration.ofSeconds(seconds), client.scheduler());
  }

  private void write(OpenSwmrCache by, long value) {
    write(by, HistoryPayloads.key("k"), value);
  }

  private void write(OpenSwmrCache by, Bytes key, long value) {
    assertThat(scene.get(by.write(key, HistoryPayloads.payload(value), in(20))))
        .isInstanceOf(WriteOutcome.Applied.class);
  }

  private Long read(OpenSwmrCache by) {
    return HistoryPayloads.number(scene.get(by.read(HistoryPayloads.key("k"), in(20))));
  }
}
