package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.WriteOutcome;
import io.ensemble.WriteOutcome.Applied;
import io.ensemble.WriteOutcome.Refused;
import io.ensemble.WriteOutcome.Unknown;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.replica.WeakOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class WeakUpdateTest {

  private static String increment(String before) {
    return before == null ? "1" : String.valueOf(Integer.parseInt(before) + 1);
  }

  @Test
  void anUpdateCostsAReadAndACompareAndSet() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);

    Applied<String> first = (Applied<String>) client.update("k", WeakUpdateTest::increment);
    Applied<String> second = (Applied<String>) client.update("k", WeakUpdateTest::increment);
    fixture.settle();

    assertThat(first.result()).isNull();
    assertThat(second.result()).isEqualTo("1");
    assertThat(second.wrote()).isTrue();
    assertThat(client.ways.get(0).requests)
        .containsExactly("read", "putIfAbsent", "read", "replace");
    assertThat(fixture.values("k")).containsExactly("2", "2");
  }

  @Test
  void anUnmetConditionWritesNothing() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.write("k", "a");
    fixture.settle();

    Applied<String> kept = (Applied<String>) client.update("k", before -> null);

    assertThat(kept.wrote()).isFalse();
    assertThat(kept.result()).isEqualTo("a");
    assertThat(kept.stamp()).isEqualTo(fixture.envelope(fixture.sites.get(0), "k").stamp());
  }

  @Test
  void contendersAtOneSiteLoseNoIncrement() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    List<CompletionStage<WriteOutcome<String>>> updates = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Client client = fixture.client(0, i + 1);
      client.ways.get(0).delay = Duration.ofMillis(1 + i % 3);
      updates.add(client.updating("k", WeakUpdateTest::increment));
    }

    updates.forEach(
        update -> assertThat(fixture.scheduler.get(update)).isInstanceOf(Applied.class));
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("8", "8");
  }

  @Test
  void aFalseAnswerToWhatTookEffectIsSeenThrough() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(0).lies = 1;

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Applied.class);
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("1", "1");
  }

  @Test
  void aLostReplyIsSeenThrough() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.addAll(List.of(FakeSiteMemory.Mode.UP, FakeSiteMemory.Mode.MUTE));

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Applied.class);
    fixture.settle();

    assertThat(fixture.values("k")).containsExactly("1", "1");
  }

  @Test
  void aLostRequestIsSentAgainWithTheSameStamp() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.addAll(List.of(FakeSiteMemory.Mode.UP, FakeSiteMemory.Mode.SILENT));
    List<String> seen = new ArrayList<>();

    WriteOutcome<String> outcome =
        client.update(
            "k",
            before -> {
              seen.add(before);
              return increment(before);
            });
    fixture.settle();

    assertThat(outcome).isInstanceOf(Applied.class);
    assertThat(seen).hasSize(1);
    assertThat(fixture.values("k")).containsExactly("1", "1");
  }

  @Test
  void aLostReplyUnderSomebodyElsesWriteIsUnknown() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    Client other = fixture.client(0, 2);
    client.ways.get(0).next.addAll(List.of(FakeSiteMemory.Mode.UP, FakeSiteMemory.Mode.MUTE));

    var updating = client.updating("k", WeakUpdateTest::increment);
    fixture.scheduler.run(Duration.ofMillis(100));
    other.write("k", "7");

    assertThat(fixture.scheduler.get(updating)).isInstanceOf(Unknown.class);
    fixture.settle();
    assertThat(fixture.values("k")).containsExactly("7", "7");
  }

  @Test
  void theNextSiteStandsInForOneThatIsDown() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.GONE;

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Applied.class);

    assertThat(fixture.values("k")).containsExactly(null, "1");
  }

  @Test
  void withNobodyToReadFromItIsRefused() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.GONE);

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Refused.class);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.UP);
    fixture.settle();
    assertThat(fixture.values("k")).containsExactly(null, null);
  }

  @Test
  void aCompareAndSetThatWasNeverSentIsRefused() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.REFUSING);

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Refused.class);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.UP);
    fixture.settle();

    assertThat(client.ways.get(0).requests).startsWith("read", "putIfAbsent");
    assertThat(fixture.values("k")).containsOnlyNulls();
  }

  @Test
  void whatWasNotSentHereMayBeDoneElsewhere() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.REFUSING;

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Applied.class);

    assertThat(fixture.values("k")).containsExactly(null, "1");
  }

  @Test
  void notSendingItTheSecondTimeDoesNotUndoTheFirst() {
    WeakCacheFixture fixture = new WeakCacheFixture(1);
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.addAll(List.of(FakeSiteMemory.Mode.UP, FakeSiteMemory.Mode.SILENT));
    client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.REFUSING;

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Unknown.class);
  }

  @Test
  void withASiteThatStopsAnsweringTheOutcomeIsUnknownAtTheDeadline() {
    WeakCacheFixture fixture = new WeakCacheFixture(1);
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.SILENT;

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Unknown.class);

    assertThat(fixture.scheduler.nanos()).isEqualTo(WeakCacheFixture.TIMEOUT.toNanos());
  }

  @Test
  void whatAnUpdateThrowsFailsTheStageAndWritesNothing() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);

    assertThatThrownBy(
            () ->
                client.update(
                    "k",
                    before -> {
                      throw new UnsupportedOperationException("mine");
                    }))
        .isInstanceOf(UnsupportedOperationException.class);
    var failing =
        client
            .engine
            .update(
                key("k"),
                before -> {
                  throw new AssertionError("mine");
                },
                fixture.deadline(WeakCacheFixture.TIMEOUT))
            .toCompletableFuture();
    fixture.settle();

    assertThat(failing).isCompletedExceptionally();
    assertThat(fixture.values("k")).containsExactly(null, null);
  }

  @Test
  void anUpdateWaitsForAMajorityWhenAsked() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    fixture.options = fixture.options.withAck(WeakOptions.Ack.MAJORITY);
    Client client = fixture.client(0, 1);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.GONE;
    client.ways.get(2).delay = Duration.ofMillis(20);

    assertThat(client.update("k", WeakUpdateTest::increment)).isInstanceOf(Applied.class);

    assertThat(fixture.values("k")).containsExactly("1", null, "1");
  }
}
