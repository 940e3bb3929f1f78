package io.ensemble.testkit.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.testkit.link.Ports;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EmbeddedOptionsTest {
  private final EmbeddedFederation.Options defaults = EmbeddedFederation.Options.defaults();

  @Test
  void siteNamesMustBeDistinctAndPresent() {
    assertThatThrownBy(() -> defaults.withSiteNames("oslo", "oslo"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("oslo");
    assertThatThrownBy(() -> defaults.withSiteNames()).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> defaults.withSiteNames("a\"b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a\"b");
  }

  @Test
  void aSiteHasANode() {
    assertThatThrownBy(() -> defaults.withNodesPerSite(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }

  @Test
  void portsAreFreeAdjacentAndHandedOutOnce() throws Exception {
    List<Integer> seen = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int first = Ports.reserve(2);
      seen.add(first);
      seen.add(first + 1);
      for (int port = first; port < first + 2; port++) {
        new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
      }
    }
    assertThat(seen).doesNotHaveDuplicates();
  }
}
