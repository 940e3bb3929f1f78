package io.ensemble.rest.resource.entry;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.FuzzRequests;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import java.util.List;
import java.util.Map;

/** Many keys, and many entries, as arbitrary clients send them. */
class BulkBodyFuzzTest {

  private static final int MOST = 8;
  private static final int KEY_BYTES = 64;

  @FuzzTest(maxDuration = "3m")
  void entriesAreTakenOrRefusedByTheirField(byte[] body) {
    FuzzRequests.read(
            () ->
                BulkResource.readKeys(
                    JsonFields.of(FuzzRequests.with(body), "keys"), MOST, KEY_BYTES))
        .ifPresent(keys -> assertThat(keys.size()).isLessThanOrEqualTo(MOST));
    FuzzRequests.read(
            () ->
                BulkResource.readEntries(
                    JsonFields.of(FuzzRequests.with(body), "entries"), MOST, KEY_BYTES))
        .ifPresent(BulkBodyFuzzTest::checkShown);
  }

  /** All stored values can be shown and read again. */
  private static void checkShown(List<BulkResource.Wanted> all) {
    assertThat(all.size()).isLessThanOrEqualTo(MOST);
    for (BulkResource.Wanted one : all) {
      Map<String, Object> shown = RestValueView.of(one.key(), one.value());

      Representation back =
          RestValueView.read(
              JsonFields.of(
                  StrictJson.bytes(shown), "key", "contentType", "etag", "value", "base64"));

      assertThat(back).isEqualTo(Representation.of(one.value()));
      assertThat(Representation.fromBytes(back.toBytes())).isEqualTo(back);
    }
  }
}
