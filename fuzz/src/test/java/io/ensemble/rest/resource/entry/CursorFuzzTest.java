package io.ensemble.rest.resource.entry;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.FuzzRequests;
import io.ensemble.rest.resource.object.VersionText;
import io.ensemble.rest.resource.operation.OperationId;

/** Cursors of pages and of histories, and names of operations, with arbitrary content. */
class CursorFuzzTest {

  private static final Cursor LISTING = Cursor.of("64004879158d4400757f1434", "a");

  @FuzzTest(maxDuration = "3m")
  void aCursorIsOursOrRefused(byte[] bytes) {
    String text = FuzzRequests.text(bytes);

    FuzzRequests.read(() -> LISTING.decodeKey(text))
        .ifPresent(key -> assertThat(LISTING.encodeAfter(key)).isEqualTo(text));
    FuzzRequests.read(() -> VersionText.parse("cursor", text))
        .ifPresent(
            version ->
                assertThat(VersionText.parse("cursor", VersionText.of(version)))
                    .isEqualTo(version));
    FuzzRequests.read(() -> OperationId.parse(text))
        .ifPresent(id -> assertThat(OperationId.parse(id.text())).isEqualTo(id));
    if (!text.isEmpty()) {
      assertThat(LISTING.decodeKey(LISTING.encodeAfter(text)))
          .as("the cursor after any key")
          .isEqualTo(text);
    }
  }
}
