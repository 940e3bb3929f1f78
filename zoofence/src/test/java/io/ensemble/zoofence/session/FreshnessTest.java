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

    assertThat(freshness.wantsSync(0, true)).isTrue();
    assertThat(freshness.wantsSync(0, false)).isFalse();
    freshness.unsettle();
    assertThat(freshness.wantsSync(1, true)).isTrue();
  }

  @Test
  void aRelaxedSessionAsksForItsOwnCommandsOnlyOnceAtEachInstance() {
    var freshness = new Freshness(new ReadPreference(List.of(1)));

    assertThat(freshness.wantsSync(1, true))
        .as("it may be another's that it goes on with")
        .isTrue();
    assertThat(freshness.wantsSync(1, true)).isFalse();
    freshness.unsettle();
    assertThat(freshness.wantsSync(1, true)).isTrue();
    assertThat(freshness.wantsSync(0, true)).isTrue();
    freshness.answered(1, ZooKeeperReply.done());
    assertThat(freshness.wantsSync(1, true)).isFalse();
    freshness.answered(1, ZooKeeperReply.failed(Code.CONNECTIONLOSS));
    assertThat(freshness.wantsSync(1, true)).isTrue();
  }

  @Test
  void aSyncThatWasLostIsAskedForAgainWithoutAnotherSwitch() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    assertThat(freshness.wantsSync(1, true)).isTrue();

    freshness.answered(1, ZooKeeperReply.failed(Code.CONNECTIONLOSS));

    assertThat(freshness.wantsSync(1, false)).isTrue();
    assertThat(freshness.wantsSync(1, false)).isFalse();
  }

  @Test
  void aWriteStandsForASyncUnlessItWasLost() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    freshness.writes(1);
    assertThat(freshness.wantsSync(1, false)).isFalse();

    freshness.answered(1, ZooKeeperReply.done());
    assertThat(freshness.wantsSync(1, false)).isFalse();
    freshness.answered(1, ZooKeeperReply.failed(Code.OPERATIONTIMEOUT));

    assertThat(freshness.wantsSync(1, false)).isTrue();
  }

  @Test
  void whatIsSentOnceMoreAsksForItsSyncOnceMore() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    assertThat(freshness.wantsSync(1, true)).isTrue();

    freshness.unsettle();

    assertThat(freshness.wantsSync(1, false)).isTrue();
  }

  @Test
  void whatWasCaughtUpBeforeASwitchIsNotAfterIt() {
    var freshness = new Freshness(ReadPreference.CANONICAL);
    assertThat(freshness.wantsSync(1, true)).isTrue();
    assertThat(freshness.wantsSync(2, true)).isTrue();

    assertThat(freshness.wantsSync(1, true)).isTrue();
  }
}
