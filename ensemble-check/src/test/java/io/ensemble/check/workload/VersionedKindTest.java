package io.ensemble.check.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.JsonOutput;
import io.ensemble.versioning.IndexType;
import org.junit.jupiter.api.Test;

class VersionedKindTest {

  @Test
  void whatIsTriedIsToldByItsWord() throws Exception {
    String json = JsonOutput.mapper().writeValueAsString(new VersionedKind(IndexType.TREE));

    assertThat(json).isEqualTo("\"versioned-tree\"");
    assertThat(JsonOutput.mapper().readValue(json, TrialSubject.class))
        .isEqualTo(new VersionedKind(IndexType.TREE));
    assertThat(TrialSubject.of("register-counter")).isEqualTo(RegisterKind.REGISTER_COUNTER);
    assertThat(TrialSubject.of("queue")).isEqualTo(ObjectKind.QUEUE);
    assertThatThrownBy(() -> TrialSubject.of("heap")).isInstanceOf(IllegalArgumentException.class);
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
