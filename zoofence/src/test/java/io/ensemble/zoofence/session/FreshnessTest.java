package io.ensemble.zoofence.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.ZooKeeperReply;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

final class FreshnessTest {
  @Test
  void byDefaultEachSwitchAsksForASync() {
    var freshness = new Freshness(ReadPreference.CANONICAL);

    assertThat(freshness.isSyncNeeded(0, true)).isTrue();
    assertThat(freshness.isSyncNeeded(0, false)).isFalse();
    freshness.requireSync();
    assertThat(freshness.isSyncNeeded(1, true)).isTrue();
  }

  @Test
  void aRelaxedSessionAsksForItsOwnCommandsOnlyOnceAtEachInstance() {
    var freshness = new Freshness(new ReadPreference(List.of(1)));

    assertThat(freshness.isSyncNeeded(1, true))
        .as("it may be another's that it goes on with")
        .isTrue();
    assertThat(freshness.isSyncNeeded(1, true)).isFalse();
    freshness.requireSync();
    assertThat(freshness.isSyncNeeded(1, true)).isTrue();
    assertThat(freshness.isSyncNeeded(0, true)).isTrue();
    freshness.recordReply(1, ZooKeeperReply.done());
    assertThat(freshness.isSyncNeeded(1, true)).isFalse();
    freshness.recordReply(1, ZooKeeperReply.failed(Code.CONNECTIONLOSS));
    assertThat(freshness.isSyncNeeded(1, true)).isTrue();
  }

  @Test
  void aSyncThatWasLostIsAskedForAgainWithoutAnotherSwitch() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    assertThat(freshness.isSyncNeeded(1, true)).isTrue();

    freshness.recordReply(1, ZooKeeperReply.failed(Code.CONNECTIONLOSS));

    assertThat(freshness.isSyncNeeded(1, false)).isTrue();
    assertThat(freshness.isSyncNeeded(1, false)).isFalse();
  }

  @Test
  void aWriteStandsForASyncUnlessItWasLost() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    freshness.recordWrite(1);
    assertThat(freshness.isSyncNeeded(1, false)).isFalse();

    freshness.recordReply(1, ZooKeeperReply.done());
    assertThat(freshness.isSyncNeeded(1, false)).isFalse();
    freshness.recordReply(1, ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));

    assertThat(freshness.isSyncNeeded(1, false)).isTrue();
  }

  @Test
  void whatIsSentOnceMoreAsksForItsSyncOnceMore() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    assertThat(freshness.isSyncNeeded(1, true)).isTrue();

    freshness.requireSync();

    assertThat(freshness.isSyncNeeded(1, false)).isTrue();
  }

  @Test
  void whatWasCaughtUpBeforeASwitchIsNotAfterIt() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    assertThat(freshness.isSyncNeeded(1, true)).isTrue();
    assertThat(freshness.isSyncNeeded(2, true)).isTrue();

    assertThat(freshness.isSyncNeeded(1, true)).isTrue();
  }
}
