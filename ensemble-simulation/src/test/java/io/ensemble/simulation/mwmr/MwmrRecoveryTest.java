package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.mwmr.FaultyRefill;
import io.ensemble.catalog.Catalog.RecoveryResult;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.mwmr.MwmrSimCache.Opened;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A site that was restarted with an empty store counts again only after its refill. */
class MwmrRecoveryTest {

  /**
   * Reads a key at lyon and rome after rome was refilled. Rome had voted for the first write of the
   * key and was then wiped, while the other votes were delayed by almost a second.
   */
  private static Long readAfterRecovery(Function<Opened, RecoverableEngine> refill) {
    MwmrSimFixture scene = MwmrSimFixture.inStep();
    Opened writer = scene.process();
    Opened operator = scene.process();
    CompletableFuture<WriteOutcome<Void>> write =
        writer
            .engine()
            .write(
                HistoryPayloads.key("k"),
                HistoryPayloads.payload(1),
                MwmrSimFixture.in(writer.client(), 5_000))
            .toCompletableFuture();
    scene.until(3, "= absent");
    scene.federation.inject(new Fault.Slow("lyon", 800));
    scene.federation.inject(new Fault.Slow("oslo", 800));
    scene.until(1, "rome #");
    scene.pass(2);
    assertThat(scene.federation.contents("rome", scene.cache.stored().store("rome").get()))
        .as("rome voted")
        .hasValueSatisfying(entries -> assertThat(entries).hasSize(1));
    scene.federation.inject(new Fault.Slow("lyon", 1));
    scene.federation.inject(new Fault.Slow("oslo", 1));
    scene.wipe("rome");
    scene.recover(operator, "rome", refill.apply(operator));
    assertThat(scene.get(write)).isInstanceOf(WriteOutcome.Applied.class);
    Opened reader = scene.process();
    scene.cut(reader, "oslo");
    return scene.read(reader, "k");
  }

  @Test
  void aVoteThatWasUnderWayIsNotForgotten() {
    assertThat(readAfterRecovery(Opened::engine)).isEqualTo(1);
  }

  @Test
  void aRefillThatDoesNotWaitLosesAnAcknowledgedWrite() {
    assertThat(readAfterRecovery(by -> FaultyRefill.withoutWaiting(by.engine()))).isNull();
  }

  @Test
  void everyKeyAndEveryTombstoneComesBack() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    for (int i = 0; i < 300; i++) {
      scene.put(one, "k" + i, i);
    }
    scene.put(one, "k7", null);
    scene.wipe("oslo");

    long keys = scene.recover(one, "oslo", one.engine()).keys();

    assertThat(keys).isEqualTo(300);
    scene.down("lyon");
    Opened other = scene.process();
    for (int i = 0; i < 300; i++) {
      assertThat(scene.read(other, "k" + i)).isEqualTo(i == 7 ? null : Long.valueOf(i));
    }
  }

  /** How often {@code by} sent each kind of request for an entry while it recovered oslo. */
  private static Map<String, Long> requestsOfRecovery(MwmrSimFixture scene, Opened by) {
    return requestsOfRecovery(scene, by, by.engine());
  }

  private static Map<String, Long> requestsOfRecovery(
      MwmrSimFixture scene, Opened by, RecoverableEngine refill) {
    long from = scene.federation.trace().size();
    scene.recover(by, "oslo", refill);
    Pattern request =
        Pattern.compile(by.client().name() + " (\\w+) #\\d+ > (read|putIfAbsent|replace) ");
    return scene.federation.trace().lines().stream()
        .skip(from)
        .map(request::matcher)
        .filter(Matcher::find)
        .collect(
            Collectors.groupingBy(
                found -> found.group(1) + " " + found.group(2), Collectors.counting()));
  }

  @Test
  void anEntryThatAllOtherSitesShowIsCopiedByThreeRequests() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    for (int i = 0; i < 300; i++) {
      scene.put(one, "k" + i, i);
    }
    scene.put(one, "k7", null);
    scene.pass(5_000);
    scene.wipe("oslo");

    assertThat(requestsOfRecovery(scene, one))
        .containsOnly(
            Map.entry("lyon read", 300L),
            Map.entry("rome read", 300L),
            Map.entry("oslo putIfAbsent", 300L));
    assertThat(entries(scene, "oslo")).isEqualTo(entries(scene, "lyon"));
  }

  @Test
  void aKeyThatTheOtherSitesShowDifferentlyIsSettled() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.put(one, "same", 1);
    scene.put(one, "differs", 1);
    scene.down("rome");
    scene.put(one, "differs", 2);
    scene.put(one, "onlyAtLyon", 3);
    scene.pass(5_000);
    scene.wipe("oslo");
    scene.up("rome");

    Map<String, Long> requests = requestsOfRecovery(scene, one);

    assertThat(requests).containsEntry("oslo putIfAbsent", 3L);
    assertThat(requests.get("rome replace")).as("promise and acceptance").isEqualTo(3);
    assertThat(requests.get("rome putIfAbsent")).as("promise of a key it lacks").isEqualTo(1);
    assertThat(requests.get("lyon replace")).isEqualTo(4);
    scene.down("lyon");
    Opened other = scene.process();
    assertThat(scene.read(other, "same")).isEqualTo(1);
    assertThat(scene.read(other, "differs")).isEqualTo(2);
    assertThat(scene.read(other, "onlyAtLyon")).isEqualTo(3);
  }

  @Test
  void keysBeyondTheBoundAreLookedUpInTheNewStore() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    for (int i = 0; i < 300; i++) {
      scene.put(one, "k" + i, i);
    }
    scene.pass(5_000);
    scene.wipe("oslo");

    Map<String, Long> requests =
        requestsOfRecovery(scene, one, FaultyRefill.recording(one.engine(), 100));

    // A scan may return a key twice; without a record of the key, it is copied twice.
    assertThat(requests.get("oslo putIfAbsent")).isBetween(300L, 350L);
    assertThat(requests.get("rome read")).isEqualTo(requests.get("oslo putIfAbsent"));
    assertThat(requests.get("oslo read")).isBetween(200L, 250L);
    assertThat(requests.get("lyon read")).isEqualTo(requests.get("rome read"));
    assertThat(requests).hasSize(4);
    assertThat(entries(scene, "oslo")).isEqualTo(entries(scene, "lyon"));
  }

  @Test
  void aSilentSiteIsReadForABoundedNumberOfKeys() {
    MwmrSimFixture scene = MwmrSimFixture.at("lyon", "oslo", "rome", "turin", "york");
    Opened one = scene.process();
    for (int i = 0; i < 300; i++) {
      scene.put(one, "k" + i, i);
    }
    scene.pass(5_000);
    scene.wipe("oslo");
    scene.down("rome");

    Map<String, Long> requests = requestsOfRecovery(scene, one);

    assertThat(requests).containsEntry("oslo putIfAbsent", 300L);
    assertThat(requests.get("lyon replace")).as("all are settled").isGreaterThanOrEqualTo(300);
    assertThat(requests.get("lyon read") - 2 * 300)
        .as("reads of single keys, of one batch, beside the two of each ballot")
        .isBetween(1L, 136L);
  }

  private static Map<Bytes, Bytes> entries(MwmrSimFixture scene, String site) {
    Map<Bytes, Bytes> found = new HashMap<>();
    scene
        .federation
        .contents(site, scene.cache.stored().store(site).orElseThrow())
        .orElseThrow()
        .forEach((key, entry) -> found.put(key, entry.value()));
    return found;
  }

  @Test
  void oneSiteAfterTheOtherMayForget() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    for (int round = 0; round < 9; round++) {
      scene.put(one, "k", round);
      scene.put(one, "only" + round, round);
      String site = scene.federation.siteNames().get(round % 3);
      scene.wipe(site);
      scene.recover(one, site, one.engine());
    }

    Opened other = scene.process();
    assertThat(scene.read(other, "k")).isEqualTo(8);
    for (int round = 0; round < 9; round++) {
      assertThat(scene.read(other, "only" + round)).isEqualTo(round);
    }
  }

  @Test
  void aRefillOutlastsASiteThatIsSilentForLongerThanACallMayTake() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.put(one, "k", 1);
    scene.wipe("oslo");
    scene.cut(one, "rome");
    CompletableFuture<RecoveryResult> recovery =
        scene
            .cache
            .catalog(one.client())
            .recover(
                scene.cache.stored(), "oslo", one.engine(), MwmrSimFixture.in(one.client(), 60_000))
            .toCompletableFuture();

    scene.pass(8_000);
    scene.heal(one, "rome");

    assertThat(scene.get(recovery).keys()).isEqualTo(1);
  }

  @Test
  void aRefillWithoutAMajorityFailsByItsDeadlineAndMayBeRepeated() {
    MwmrSimFixture scene = new MwmrSimFixture();
    Opened one = scene.process();
    scene.put(one, "k", 1);
    scene.wipe("oslo");
    scene.down("lyon");
    long before = scene.federation.scheduler().nanos();
    Deadline deadline = MwmrSimFixture.in(one.client(), 8_000);

    assertThatThrownBy(
            () ->
                scene.get(
                    scene
                        .cache
                        .catalog(one.client())
                        .recover(scene.cache.stored(), "oslo", one.engine(), deadline)))
        .isInstanceOf(QuorumUnavailableException.class)
        .hasMessageContaining("oslo=the site is being refilled")
        .hasMessageContaining("lyon");
    Duration took = Duration.ofNanos(scene.federation.scheduler().nanos() - before);
    assertThat(took).isLessThan(Duration.ofSeconds(10));
    scene.up("lyon");
    assertThat(scene.recover(one, "oslo", one.engine()).keys()).isEqualTo(1);
  }
}
