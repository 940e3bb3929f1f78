package io.ensemble.zoofence.queue.expiry;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.EphemeralType;
import org.junit.jupiter.api.Test;

final class ZnodeExpiryPolicyTest {
  private static final long CONTAINER = EphemeralType.CONTAINER_EPHEMERAL_OWNER;
  private static final long HUNDRED_MILLIS = EphemeralType.TTL.toEphemeralOwner(100);

  private final ZnodeExpiryPolicy znodeExpiryPolicy =
      new ZnodeExpiryPolicy(Duration.ofSeconds(1), 120, Duration.ZERO);

  /** A znode that was changed at 1,000 ms. */
  private static Stat stat(int children, int childChanges) {
    var stat = new Stat();
    stat.setMtime(1000);
    stat.setNumChildren(children);
    stat.setCversion(childChanges);
    return stat;
  }

  @Test
  void aContainerGoesWhenItIsEmptyAndHadAChild() {
    assertThat(znodeExpiryPolicy.isExpired(CONTAINER, stat(0, 2), 1000)).isTrue();
    assertThat(znodeExpiryPolicy.isExpired(CONTAINER, stat(1, 1), 1L << 50)).isFalse();
    assertThat(znodeExpiryPolicy.isExpired(CONTAINER, stat(0, 0), 1L << 50)).isFalse();
  }

  @Test
  void aContainerThatWasNeverUsedGoesIfItIsSaidSo() {
    var impatient = new ZnodeExpiryPolicy(Duration.ofSeconds(1), 120, Duration.ofMillis(50));

    assertThat(impatient.isExpired(CONTAINER, stat(0, 0), 1050)).isFalse();
    assertThat(impatient.isExpired(CONTAINER, stat(0, 0), 1051)).isTrue();
  }

  @Test
  void aTimeToLiveIsOverWhenNothingChangedForSoLong() {
    assertThat(znodeExpiryPolicy.isExpired(HUNDRED_MILLIS, stat(0, 0), 1100)).isFalse();
    assertThat(znodeExpiryPolicy.isExpired(HUNDRED_MILLIS, stat(0, 0), 1101)).isTrue();
    assertThat(znodeExpiryPolicy.isExpired(HUNDRED_MILLIS, stat(1, 1), 5000)).isFalse();
  }

  @Test
  void soManyAreRemovedAtOneLook() {
    assertThat(znodeExpiryPolicy.maxPerCheck()).isEqualTo(2);
    assertThat(new ZnodeExpiryPolicy(Duration.ofMillis(10), 60, Duration.ZERO).maxPerCheck())
        .isEqualTo(1);
  }
}
