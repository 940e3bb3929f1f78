package io.ensemble.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.Requests;

/** Cursors of pages and of histories, and names of operations, as strangers make them up. */
class CursorFuzzTest {

  private static final Cursor LISTING = Cursor.of("64004879158d4400757f1434", "a");

  @FuzzTest(maxDuration = "3m")
  void aCursorIsOursOrRefused(byte[] bytes) {
    String text = Requests.text(bytes);

    Requests.read(() -> LISTING.key(text))
        .ifPresent(key -> assertThat(LISTING.after(key)).isEqualTo(text));
    Requests.read(() -> VersionText.parse("cursor", text))
        .ifPresent(
            version ->
                assertThat(VersionText.parse("cursor", VersionText.of(version)))
                    .isEqualTo(version));
    Requests.read(() -> OperationId.parse(text))
        .ifPresent(id -> assertThat(OperationId.parse(id.text())).isEqualTo(id));
    if (!text.isEmpty()) {
      assertThat(LISTING.key(LISTING.after(text))).as("the cursor after any key").isEqualTo(text);
    }
  }
}
