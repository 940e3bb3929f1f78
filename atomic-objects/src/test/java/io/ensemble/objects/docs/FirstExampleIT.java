package io.ensemble.objects.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.embedded.EmbeddedFederation;
import org.junit.jupiter.api.Test;

final class FirstExampleIT {

  @Test
  void theFirstExampleRunsOnACluster() {
    EmbeddedFederation.Options options =
        EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(3);
    try (EmbeddedFederation federation = EmbeddedFederation.start(options)) {
      var at = federation.sites().get(0).endpoints().get(0);

      assertThat(Examples.first(at.getHostString() + ":" + at.getPort())).isEqualTo(97);
    }
  }
}
