package io.ensemble.rest.resource.entry;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.FuzzRequests;
import io.ensemble.rest.http.Precondition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** If-Match and If-None-Match, as arbitrary clients write them. */
class PreconditionFuzzTest {

  private static final String ETAG =
      new Representation(Representation.TEXT, "hello".getBytes(StandardCharsets.UTF_8)).etag();

  @FuzzTest(maxDuration = "3m")
  void aConditionIsUnderstoodOrRefused(byte[] bytes) {
    String text = FuzzRequests.text(bytes);

    Optional<Precondition> match = of("if-match", text);
    Optional<Precondition> none = of("if-none-match", text);

    match.ifPresent(wanted -> assertThat(holds(wanted, null)).as("nothing is there").isFalse());
    none.ifPresent(wanted -> assertThat(holds(wanted, null)).as("nothing is there").isTrue());
    none.ifPresent(
        unwanted -> assertThat(holds(unwanted, ETAG)).isNotEqualTo(unwanted.isNotModified(ETAG)));
    if (!text.contains(ETAG) && !text.strip().equals("*")) {
      match.ifPresent(wanted -> assertThat(holds(wanted, ETAG)).as("another tag").isFalse());
      none.ifPresent(unwanted -> assertThat(unwanted.isNotModified(ETAG)).isFalse());
    }
  }

  private static Optional<Precondition> of(String header, String text) {
    return FuzzRequests.read(
        () -> Precondition.of(FuzzRequests.with(Map.of(header, List.of(text))).head()));
  }

  private static boolean holds(Precondition wanted, String etag) {
    return FuzzRequests.read(
            () -> {
              wanted.check(etag);
              return true;
            })
        .isPresent();
  }
}
