package io.ensemble.catalog.site;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.hotrod.configuration.Endpoint;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndpointMergeTest {

  private static final Endpoint A = new Endpoint("10.0.0.1", 1);
  private static final Endpoint B = new Endpoint("10.0.0.2", 1);
  private static final Endpoint C = new Endpoint("::1", 1);
  private static final Endpoint D = new Endpoint("10.0.0.4", 1);
  private static final Endpoint HOLDER = new Endpoint("10.0.0.9", 1);
  private static final Endpoint NAMED = new Endpoint("lyon.example", 1);

  private static List<Endpoint> next(List<Endpoint> entered, Endpoint... there) {
    List<InetSocketAddress> nodes = new ArrayList<>();
    for (Endpoint node : there) {
      nodes.add(InetSocketAddress.createUnresolved(node.host(), node.port()));
    }
    return EndpointMerge.endpoints(entered, nodes, HOLDER::equals);
  }

  @Test
  void whatIsThereIsEnteredAndWhatIsNotIsDropped() {
    assertThat(next(List.of(A, B), B, D)).containsExactly(B, D);
    assertThat(next(List.of(C, B), B)).containsExactly(B);
  }

  @Test
  void aSiteThatShowsNothingOrLittleKeepsWhatWasEntered() {
    assertThat(next(List.of(A, B, C))).containsExactly(A, B, C);
    assertThat(next(List.of(A, B, C), D)).containsExactly(A, B, C, D);
    assertThat(next(List.of(A, B, C), C, D)).containsExactly(C, D);
  }

  @Test
  void whereThereAreNamesNoNodeIsEnteredAgainByItsAddress() {
    assertThat(next(List.of(NAMED, A), B, D)).containsExactly(NAMED, A);
    assertThat(next(List.of(NAMED), B)).containsExactly(NAMED);
  }

  @Test
  void theNodeOfAReplicaStaysWhileItIsAway() {
    assertThat(next(List.of(A, HOLDER, B), A, B)).containsExactly(A, HOLDER, B);
  }

  @Test
  void nothingChangesWhereNothingHas() {
    assertThat(next(List.of(B, A), A, B)).containsExactly(B, A);
  }

  @Test
  void theListIsBounded() {
    Endpoint[] many = new Endpoint[100];
    for (int i = 0; i < many.length; i++) {
      many[i] = new Endpoint("10.0.1." + i, 1);
    }

    assertThat(next(List.of(many[7]), many)).hasSize(EndpointMerge.MOST).startsWith(many[7]);
  }
}
