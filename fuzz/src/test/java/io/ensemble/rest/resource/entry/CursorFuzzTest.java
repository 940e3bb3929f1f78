package io.ensemble.rest.resource.entry;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.FuzzRequests;
import io.ensemble.rest.resource.object.VersionText;
import io.ensemble.rest.resource.operation.OperationId;

/** Cursors of histories, and names of operations, with arbitrary content. */
class CursorFuzzTest {

  @FuzzTest(maxDuration = "3m")
  void aCursorIsOursOrRefused(byte[] bytes) {
    String text = FuzzRequests.text(bytes);

    FuzzRequests.read(() -> VersionText.parse("cursor", text))
        .ifPresent(
            version ->
                assertThat(VersionText.parse("cursor", VersionText.of(version)))
                    .isEqualTo(version));
    FuzzRequests.read(() -> OperationId.parse(text))
        .ifPresent(id -> assertThat(OperationId.parse(id.text())).isEqualTo(id));
  }
}
