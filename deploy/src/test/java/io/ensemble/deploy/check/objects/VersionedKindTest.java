package io.ensemble.deploy.check.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.deploy.Output;
import io.ensemble.versioning.Index;
import org.junit.jupiter.api.Test;

class VersionedKindTest {

  @Test
  void whatIsTriedIsToldByItsWord() throws Exception {
    String json = Output.mapper().writeValueAsString(new VersionedKind(Index.TREE));

    assertThat(json).isEqualTo("\"versioned-tree\"");
    assertThat(Output.mapper().readValue(json, Tried.class))
        .isEqualTo(new VersionedKind(Index.TREE));
    assertThat(Tried.of("queue")).isEqualTo(ObjectKind.QUEUE);
    assertThatThrownBy(() -> Tried.of("heap")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void valuesThatAreDamagedAreNotRead() {
    PaddedValues values = new PaddedValues(100);
    byte[] written = values.write(7);

    assertThat(values.read(written)).isEqualTo(7);
    written[Long.BYTES - 1]++;
    assertThatThrownBy(() -> values.read(written)).hasMessageContaining("a damaged value: 8");
  }
}
