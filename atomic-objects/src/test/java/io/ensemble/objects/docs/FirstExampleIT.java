package io.ensemble.objects.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.embedded.SharedFederation;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.junit.jupiter.api.Test;

final class FirstExampleIT {

  @Test
  void theFirstExampleRunsOnACluster() {
    var at = SharedFederation.threeNodes().sites().get(0).endpoints().get(0);
    // The default of 2 s is too short for a slow machine.
    String address = at.getHostString() + ":" + at.getPort() + "?socket_timeout=60000";

    assertThat(AtomicObjectsExamples.first(address)).isEqualTo(97);

    try (RemoteCacheManager cluster = new RemoteCacheManager("hotrod://" + address)) {
      cluster.administration().removeCache("objects");
    }
  }
}
