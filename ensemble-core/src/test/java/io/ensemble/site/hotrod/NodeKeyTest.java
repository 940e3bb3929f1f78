package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.site.hotrod.configuration.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeKeyTest {

  private static final Endpoint ONE = new Endpoint("10.0.0.1", 11222);
  private static final Endpoint TWO = new Endpoint("10.0.0.2", 11222);
  private static final String CACHE = "a.b.7.0123456789ab0123456789ab.";

  @Test
  void aNameSaysItsNode() {
    String store = CACHE + "00000001" + NodeKey.of(TWO);

    assertThat(NodeKey.in(store)).hasValue(NodeKey.of(TWO));
    assertThat(NodeKey.find(NodeKey.of(TWO), List.of(ONE, TWO))).hasValue(TWO);
    assertThat(NodeKey.find(NodeKey.of(TWO), List.of(ONE))).isEmpty();
  }

  @Test
  void otherNamesSayNone() {
    assertThat(NodeKey.in(CACHE + "00000001")).isEmpty();
    assertThat(NodeKey.in("a.b.7.short.0000000100000002")).isEmpty();
    assertThat(NodeKey.in("0000000100000002")).isEmpty();
  }

  /** Catalogs contain this hash; another one would lose every store. */
  @Test
  void theHashStaysWhatItIs() {
    assertThat(NodeKey.of(ONE)).isEqualTo("b70ece19");
  }
}
