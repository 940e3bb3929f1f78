package io.ensemble.check.znodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.Flattening;
import io.ensemble.zoofence.flattening.FlatteningText;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ZnodeLayoutTest {

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void everyKindOfHoldingIsAmongTheZnodes(int instances) {
    List<String> names = IntStream.rangeClosed(1, instances).mapToObj(Integer::toString).toList();
    Flattening flattening = FlatteningText.read(ZnodeLayout.rules("/r", instances), names);

    ZnodeLayout layout = ZnodeLayout.of("/r", 5, flattening);

    assertThat(layout.registers())
        .contains(
            new ZnodeLayout.LayoutNode("/r/at1/key-0", false, false),
            new ZnodeLayout.LayoutNode("/r/all/key-1", true, true),
            new ZnodeLayout.LayoutNode("/r/edge/key-2", true, false))
        .hasSize(5);
    assertThat(layout.pairs())
        .allMatch(
            two ->
                !flattening
                    .holders(two.first().path())
                    .equals(flattening.holders(two.second().path())));
    assertThat(layout.directories()).startsWith("/r", "/r/at1").doesNotHaveDuplicates();
  }
}
