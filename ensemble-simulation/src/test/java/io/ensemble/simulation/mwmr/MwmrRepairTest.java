package io.ensemble.simulation.mwmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.SiteRepair.MissedKeyCount;
import io.ensemble.cache.quorum.MissedKeys;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A site that was unreachable and kept its store receives the writes that it missed. */
class MwmrRepairTest {

  private static final int KEYS = 40;

  private final MwmrSimFixture mwmrSimFixture = MwmrSimFixture.inStep();
  private final MwmrSimCache.Opened one = mwmrSimFixture.process();

  private long run(CompletionStage<Long> stage) {
    return mwmrSimFixture.get(stage);
  }

  private Deadline in(Duration time) {
    return Deadline.after(time, one.client().scheduler());
  }

  /** The keys whose entries differ between oslo and lyon. */
  private Set<Bytes> differences() {
    Map<Bytes, Bytes> differences = contents("oslo");
    differences.entrySet().removeAll(contents("lyon").entrySet());
    return differences.keySet();
  }

  private Map<Bytes, Bytes> contents(String site) {
    Map<Bytes, Bytes> found = new HashMap<>();
    mwmrSimFixture
        .federation
        .contents(site, mwmrSimFixture.cache.stored().store(site).orElseThrow())
        .orElseThrow()
        .forEach((key, entry) -> found.put(key, entry.value()));
    return found;
  }

  private void missAtLyon() {
    for (int i = 0; i < KEYS; i++) {
      mwmrSimFixture.put(one, "k" + i, i);
    }
    mwmrSimFixture.down("lyon");
    for (int i = 0; i < KEYS; i += 2) {
      mwmrSimFixture.put(one, "k" + i, i + 1);
    }
    mwmrSimFixture.put(one, "new", 1);
    mwmrSimFixture.put(one, "k1", null);
    mwmrSimFixture.up("lyon");
    mwmrSimFixture.pass(10_000);
  }

  @Test
  void whatWasWrittenMeanwhileIsRememberedAndBrought() {
    missAtLyon();
    assertThat(differences()).isNotEmpty();
    MissedKeyCount missed = one.engine().siteRepair().missed("lyon");
    assertThat(missed.keys()).isGreaterThanOrEqualTo(KEYS / 2 + 2);
    assertThat(missed.more()).isFalse();
    assertThat(one.engine().siteRepair().missed("oslo").keys()).isZero();

    long brought = run(one.engine().siteRepair().repair("lyon", in(Duration.ofMinutes(1))));

    mwmrSimFixture.pass(10_000);
    assertThat(brought).isEqualTo(missed.keys());
    assertThat(differences()).isEmpty();
    assertThat(one.engine().siteRepair().missed("lyon")).isEqualTo(new MissedKeyCount(0, false));
  }

  /** The number of sites may exceed the number of bits of a long. */
  @Test
  void whatOneOfManySitesMissedIsNotTakenForAnothers() {
    String[] names = IntStream.range(0, 70).mapToObj(i -> "s" + i).toArray(String[]::new);
    SimFederation many = SimFederation.builder().sites(names).clients(0).seed(3).build();
    MwmrSimCache.Opened by = new MwmrSimCache(many, Duration.ofSeconds(10)).open(many.newClient());
    many.inject(new Fault.SiteDown("s69", LostState.REQUESTS));

    Deadline deadline = Deadline.after(Duration.ofSeconds(10), by.client().scheduler());
    many.get(
        by.engine().write(HistoryPayloads.key("k"), HistoryPayloads.payload(1), deadline),
        MwmrSimFixture.LONG);
    many.run(Duration.ofSeconds(10));

    assertThat(names)
        .filteredOn(site -> by.engine().siteRepair().missed(site).keys() > 0)
        .containsExactly("s69");
  }

  @Test
  void whileTheSiteIsAwayNothingIsForgotten() {
    missAtLyon();
    int before = one.engine().siteRepair().missed("lyon").keys();
    mwmrSimFixture.down("lyon");

    run(one.engine().siteRepair().repair("lyon", in(Duration.ofMinutes(1))));

    mwmrSimFixture.pass(10_000);
    assertThat(one.engine().siteRepair().missed("lyon").keys()).isEqualTo(before);
  }

  @Test
  void aComparisonByAnotherProcessBringsItToo() {
    missAtLyon();
    MwmrSimCache.Opened other = mwmrSimFixture.process();
    assertThat(other.engine().siteRepair().missed("lyon").keys()).isZero();

    long differed =
        run(other.engine().siteRepair().compare("lyon", 1_000, in(Duration.ofMinutes(1))));

    mwmrSimFixture.pass(10_000);
    // A few more keys have equal content under another ballot.
    assertThat(differed).isBetween(KEYS / 2 + 2L, KEYS + 1L);
    assertThat(differences()).isEmpty();
    assertThat(run(other.engine().siteRepair().compare("lyon", 1_000, in(Duration.ofMinutes(1)))))
        .isZero();
  }

  @Test
  void aComparisonTakesItsTime() {
    missAtLyon();
    long begin = one.client().scheduler().nanos();

    run(one.engine().siteRepair().compare("lyon", 10, in(Duration.ofMinutes(1))));

    assertThat(Duration.ofNanos(one.client().scheduler().nanos() - begin))
        .isGreaterThanOrEqualTo(Duration.ofMillis(KEYS * 100));
  }

  @Test
  void aComparisonWithTooFewSitesFailsAndForgetsNothing() {
    missAtLyon();
    mwmrSimFixture.down("oslo");
    mwmrSimFixture.down("rome");

    CompletionStage<Long> compared =
        one.engine().siteRepair().compare("lyon", 1_000, in(Duration.ofSeconds(20)));
    mwmrSimFixture.pass(60_000);

    assertThat(compared.toCompletableFuture()).isCompletedExceptionally();
    assertThat(one.engine().siteRepair().missed("lyon").more()).isTrue();
  }

  @Test
  void whatIsRememberedIsBounded() {
    MissedKeys missed = new MissedKeys(2);
    for (int i = 0; i < MissedKeys.MOST_KEYS; i++) {
      missed.add(1, Bytes.of(("k" + i).getBytes()));
    }
    assertThat(missed.of(1)).isEqualTo(new MissedKeyCount(MissedKeys.MOST_KEYS, false));
    missed.add(1, Bytes.of("k7".getBytes()));
    assertThat(missed.of(1).more()).as("it is there").isFalse();

    missed.add(1, Bytes.of("another".getBytes()));

    assertThat(missed.of(1)).isEqualTo(new MissedKeyCount(MissedKeys.MOST_KEYS, true));
    assertThat(missed.of(0)).isEqualTo(new MissedKeyCount(0, false));
    missed.add(0, Bytes.of(new byte[MissedKeys.MOST_BYTES]));
    missed.add(0, Bytes.of(new byte[1]));
    assertThat(missed.of(0)).isEqualTo(new MissedKeyCount(1, true));
    assertThat(missed.take(0, 5)).hasSize(1);
    assertThat(missed.forget(0)).isTrue();
    assertThat(missed.forget(0)).isFalse();
  }
}
