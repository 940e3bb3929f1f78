package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static io.ensemble.cache.weak.WeakCacheFixture.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.ClockSkewException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriteOutcome.Applied;
import io.ensemble.WriteOutcome.Unknown;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.register.Update.Decision;
import io.ensemble.sibling.SiblingUpdate;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** One client's clock says 2100. */
class ClockSkewTest {

  private static final long YEARS_MICROS = Duration.ofDays(74 * 365).toNanos() / 1000;

  private final WeakCacheFixture fixture = new WeakCacheFixture(3);

  private Client ahead(long skewMicros) {
    Client client = fixture.client(0, 9);
    client.skewMicros = skewMicros;
    return client;
  }

  private Client ahead() {
    return ahead(YEARS_MICROS);
  }

  private long nowMicros() {
    return fixture.scheduler.epochMicros();
  }

  private long stamped(String key) {
    return fixture.envelope(fixture.sites.get(0), key).stamp().micros();
  }

  private void keepSiblings() {
    fixture.options = fixture.options.withSiblings(4);
  }

  @Test
  void whoReadsOrMeetsItsEntriesKeepsItsOwnTime() {
    ahead().write("k", "from 2100");
    fixture.settle();
    Client healthy = fixture.client(0, 1);

    assertThat(healthy.read("k")).isEqualTo("from 2100");
    healthy.update("k", before -> null);
    healthy.reconcile();
    assertThat(healthy.write("other", "v")).isInstanceOf(Applied.class);

    assertThat(stamped("other")).isLessThan(nowMicros() + 1_000_000);
  }

  @Test
  void aWriteThatWouldLoseToItFailsByTypeAndTheEntryStays() {
    ahead().write("k", "from 2100");
    fixture.settle();
    Client healthy = fixture.client(0, 1);

    assertThatThrownBy(() -> healthy.write("k", "a"))
        .isInstanceOfSatisfying(
            ClockSkewException.class,
            skew -> {
              assertThat(skew.cache()).isEqualTo("c");
              assertThat(skew.ahead()).isGreaterThan(Duration.ofDays(73 * 365));
              assertThat(skew).hasMessageContaining("accepted=PT1M");
            });
    assertThatThrownBy(() -> healthy.update("k", before -> "a"))
        .isInstanceOf(ClockSkewException.class);
    fixture.settle();

    assertThat(fixture.values("k")).containsOnly("from 2100");
  }

  @Test
  void aConditionThatIsNotMetIsAnsweredAsEver() {
    ahead().write("k", "from 2100");
    Client healthy = fixture.client(0, 1);

    assertThat(healthy.update("k", before -> null))
        .isInstanceOfSatisfying(
            Applied.class, unmet -> assertThat(unmet.result()).isEqualTo("from 2100"));
  }

  @Test
  void aRemovalRemovesTheEntryItselfAndTheKeyIsAsEver() {
    ahead().write("k", "from 2100");
    fixture.settle();
    Client healthy = fixture.client(1, 1);

    assertThat(healthy.write("k", null)).isInstanceOf(Applied.class);
    fixture.settle();
    assertThat(fixture.values("k")).containsOnly("-");

    assertThat(healthy.write("k", "a")).isInstanceOf(Applied.class);
    fixture.settle();
    assertThat(fixture.values("k")).containsOnly("a");
    assertThat(stamped("k")).isLessThan(nowMicros() + 1_000_000);
  }

  @Test
  void aConditionalRemovalAnswersWithWhatItRemoved() {
    ahead().write("k", "from 2100");
    fixture.settle();
    Client healthy = fixture.client(1, 1);

    WriteOutcome<String> removed =
        fixture.scheduler.get(
            healthy.engine.update(
                key("k"),
                current -> Decision.write(null, WeakCacheFixture.text(current)),
                fixture.deadline()));

    assertThat(removed)
        .isInstanceOfSatisfying(
            Applied.class, done -> assertThat(done.result()).isEqualTo("from 2100"));
    fixture.settle();
    assertThat(fixture.values("k")).containsOnly("-");
  }

  @Test
  void aRemovalThatDoesNotReachEverySiteIsUnknownAndMayBeRepeated() {
    ahead().write("k", "from 2100");
    fixture.settle();
    Client healthy = fixture.client(1, 1);
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.GONE;

    assertThat(healthy.write("k", null))
        .isInstanceOfSatisfying(
            Unknown.class, unknown -> assertThat(unknown.why().silent()).containsOnlyKeys("s2"));

    fixture.sites.get(2).mode = FakeSiteMemory.Mode.UP;
    fixture.settle();
    healthy.reconcile();
    assertThat(healthy.write("k", null)).isInstanceOf(Applied.class);
    fixture.settle();
    assertThat(fixture.values("k")).containsOnly("-");
  }

  @Test
  void anEntryThatIsOnlyAnHourAheadIsWrittenOverAnHourLater() {
    ahead(Duration.ofHours(1).toNanos() / 1000).write("k", "early");
    fixture.settle();
    Client healthy = fixture.client(0, 1);
    assertThatThrownBy(() -> healthy.write("k", "a")).isInstanceOf(ClockSkewException.class);

    fixture.scheduler.run(Duration.ofHours(1));

    assertThat(healthy.write("k", "a")).isInstanceOf(Applied.class);
    fixture.settle();
    assertThat(fixture.values("k")).containsOnly("a");
  }

  @Test
  void tombstonesOfWhoHasMetItsEntriesArePurged() {
    ahead().write("k", "from 2100");
    fixture.settle();
    Client healthy = fixture.client(0, 1);
    healthy.write("gone", "v");
    healthy.read("k");
    healthy.write("gone", null);
    fixture.settle();
    assertThat(stamped("gone")).isLessThan(nowMicros() + 1_000_000);

    fixture.scheduler.run(Duration.ofHours(2));
    healthy.reconcile();

    assertThat(fixture.values("gone")).containsOnlyNulls();
  }

  @Test
  void tombstonesOfItsOwnArePurged() {
    Client ill = ahead();
    ill.write("k", "v");
    ill.write("k", null);
    fixture.settle();

    AntiEntropyReport report = fixture.client(0, 1).reconcile();

    assertThat(report.purged()).isEqualTo(1);
    assertThat(fixture.values("k")).containsOnlyNulls();
  }

  @Test
  void tombstonesWithinTheGraceStay() {
    Client early = ahead(Duration.ofMinutes(59).toNanos() / 1000);
    early.write("k", "v");
    early.write("k", null);
    fixture.settle();

    fixture.client(0, 1).reconcile();

    assertThat(fixture.values("k")).containsOnly("-");
  }

  @Test
  void siblingsAreReadAndRefusedAndRemovedAlike() {
    keepSiblings();
    ahead().write("k", "from 2100");
    fixture.settle();
    Client healthy = fixture.client(0, 1);

    assertThat(healthy.read("k")).isEqualTo("from 2100");
    assertThatThrownBy(() -> healthy.write("k", "a")).isInstanceOf(ClockSkewException.class);
    assertThat(healthy.write("k", null)).isInstanceOf(Applied.class);
    fixture.settle();
    assertThat(fixture.values("k")).containsOnlyNulls();
    healthy.write("k", "a");
    fixture.settle();

    assertThat(healthy.read("k")).isEqualTo("a");
    assertThat(stamped("k")).isLessThan(nowMicros() + 1_000_000);
  }

  @Test
  void aContextThatIsTooFarAheadIsRefused() {
    keepSiblings();
    Client ill = ahead();
    ill.write("k", "from 2100");
    fixture.settle();
    var seen = fixture.scheduler.get(ill.engine.siblings(key("k"), fixture.deadline())).seen();
    Client healthy = fixture.client(0, 1);
    SiblingUpdate<Payload, Void> late =
        found -> SiblingUpdate.Decision.write(seen, payload("a"), null);

    assertThatThrownBy(
            () ->
                fixture.scheduler.get(healthy.engine.amend(key("other"), late, fixture.deadline())))
        .isInstanceOf(ClockSkewException.class);
    assertThat(fixture.values("other")).containsOnlyNulls();
  }
}
