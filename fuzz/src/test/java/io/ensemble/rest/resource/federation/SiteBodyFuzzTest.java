package io.ensemble.rest.resource.federation;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.rest.FuzzRequests;
import io.ensemble.rest.json.JsonFields;

/** Sites as arbitrary clients describe them. */
class SiteBodyFuzzTest {

  @FuzzTest(maxDuration = "3m")
  void aSiteIsTakenOrRefusedByItsField(byte[] body) {
    FuzzRequests.read(
            () -> SiteBody.readEntry(JsonFields.of(FuzzRequests.with(body), SiteBody.FIELDS)))
        .ifPresent(SiteBodyFuzzTest::checkUsable);
  }

  private static void checkUsable(SiteEntry taken) {
    assertThat(taken.endpoints()).isNotEmpty().doesNotHaveDuplicates();
    assertThat(taken.endpoints()).allSatisfy(one -> assertThat(one.port()).isBetween(1, 65_535));
    assertThat(taken.name()).isNotBlank();
  }
}
