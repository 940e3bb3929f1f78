package io.ensemble.rest.resource.context;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.rest.FuzzRequests;
import io.ensemble.rest.http.AuthorizedRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Idempotency-Key, as arbitrary clients choose it. */
class IdempotencyKeyFuzzTest {

  private static final int LONGEST = 255;

  @FuzzTest(maxDuration = "3m")
  void aKeyNamesTheRequestOrIsRefused(byte[] bytes) {
    String key = FuzzRequests.text(bytes);
    AuthorizedRequest call = FuzzRequests.with(Map.of("idempotency-key", List.of(key)));

    Optional<UUID> name = FuzzRequests.read(() -> IdempotencyKey.of(call).orElseThrow());

    assertThat(name.isPresent()).isEqualTo(!key.isBlank() && key.length() <= LONGEST);
    assertThat(IdempotencyKey.of(FuzzRequests.with(Map.of()))).isEmpty();
    name.ifPresent(
        one -> {
          assertThat(IdempotencyKey.of(call)).hasValue(one);
          assertThat(IdempotencyKey.name("anybody", key)).isEqualTo(one);
          assertThat(IdempotencyKey.name("somebody", key)).isNotEqualTo(one);
        });
  }
}
