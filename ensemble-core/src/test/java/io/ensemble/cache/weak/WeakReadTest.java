package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.bytes;
import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.Payload;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WeakReadTest {

  private static final long PAST = WeakManualScheduler.EPOCH_MICROS - 1_000_000;

  @Test
  void theLocalSiteIsReadAlone() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(2, 1);
    fixture.put(2, "k", PAST, 1, "a");

    assertThat(client.read("k")).isEqualTo("a");

    assertThat(client.ways.get(2).requests).containsExactly("read");
    assertThat(client.ways.get(0).requests).isEmpty();
  }

  @Test
  void aFailureMovesOnAtOnceAndSilenceAfterTheHedge() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.GONE;
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.SILENT;
    fixture.put(2, "k", PAST, 1, "a");

    assertThat(client.read("k")).isEqualTo("a");

    assertThat(Duration.ofNanos(fixture.scheduler.nanos()))
        .isBetween(Duration.ofMillis(50), Duration.ofMillis(52));
  }

  @Test
  void aFailureAfterTheAnswerAsksNobodyElse() {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.SILENT;
    fixture.put(1, "k", PAST, 1, "a");

    assertThat(client.read("k")).isEqualTo("a");
    fixture.settle(); // The request to the silent first site fails.

    assertThat(client.ways.get(1).requests).containsExactly("read");
    assertThat(client.ways.get(2).requests).isEmpty();
  }

  @Test
  void whenNobodyAnswersTheErrorSaysWho() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.GONE;
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.SILENT;

    assertThatThrownBy(() -> client.read("k"))
        .isInstanceOfSatisfying(
            QuorumUnavailableException.class,
            failure -> {
              assertThat(failure.shortfall().needed()).isEqualTo(1);
              assertThat(failure.shortfall().silent())
                  .containsEntry("s0", "UNREACHABLE")
                  .containsEntry("s1", "TIMED_OUT");
            });
    assertThat(fixture.scheduler.nanos()).isEqualTo(WeakCacheFixture.TIMEOUT.toNanos());
  }

  @Test
  void afterTheDeadlineNobodyIsAsked() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);

    assertThatThrownBy(
            () ->
                fixture.scheduler.get(
                    client.engine.read(key("k"), fixture.deadline(Duration.ZERO))))
        .isInstanceOf(QuorumUnavailableException.class);
    assertThat(client.ways.get(0).requests).isEmpty();
  }

  @Test
  void whatHasExpiredOrWasRemovedIsAbsent() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    long end = WeakManualScheduler.EPOCH_MICROS + 1_000_000;
    fixture.scheduler.get(
        client.engine.write(
            key("k"), new Payload(bytes("a"), end), fixture.deadline(WeakCacheFixture.TIMEOUT)));
    assertThat(client.read("k")).isEqualTo("a");

    fixture.scheduler.run(Duration.ofSeconds(1));
    assertThat(client.read("k")).isNull();

    client.write("k", "b");
    client.write("k", null);
    assertThat(client.read("k")).isNull();
  }

  @Test
  void anEntryThatIsNotOursSendsTheReadToTheNextSite() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).store(key("k"), bytes("?"));
    fixture.put(1, "k", PAST, 1, "a");

    assertThat(client.read("k")).isEqualTo("a");
  }

  @Test
  void aSiteThatWasDownIsUsedAgain() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.GONE;
    client.read("k");
    assertThat(client.engine.lag().get(0).down()).isTrue();

    fixture.sites.get(0).mode = FakeSiteMemory.Mode.UP;
    fixture.settle();

    assertThat(client.engine.lag().get(0).down()).isFalse();
    int before = client.ways.get(1).requests.size();
    client.read("k");
    assertThat(client.ways.get(1).requests).hasSize(before);
  }
}
