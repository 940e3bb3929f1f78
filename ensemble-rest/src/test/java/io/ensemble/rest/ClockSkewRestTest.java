package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.ClockSkewException;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A WEAK cache with a process whose clock says 2100, as seen over REST. */
@Timeout(180)
class ClockSkewRestTest {

  private static final byte[] NONE = {};
  private static final String ENTRY = "/caches/w/entries/k";
  private static final long YEARS_MICROS = Duration.ofDays(74 * 365).toNanos() / 1000;

  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  @Test
  void anEntryOf2100IsReadRefusedRemovedAndWrittenAgain() throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"w\", \"consistency\": \"WEAK\", \"sites\": [\"lyon\", \"oslo\"]}");
    try (EnsembleCacheManager ill =
        restFixture
            .builder()
            .clock(() -> restFixture.scheduler.epochMicros() + YEARS_MICROS)
            .build()) {
      ill.<String, String>getCache("w").put("k", "from 2100");
    }
    EnsembleCache<String, String> healthy = restFixture.manager.getCache("w");

    assertThat(healthy.get("k")).isEqualTo("from 2100");
    assertThatThrownBy(() -> healthy.put("k", "a")).isInstanceOf(ClockSkewException.class);
    HttpResponse<byte[]> refused = restFixture.call("PUT", ENTRY, "a".getBytes());
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(refused).get("detail").asText())
        .contains("too far ahead of the clock of this process", "remove it and write it again");
    assertThat(restFixture.get(ENTRY).body()).isEqualTo("from 2100".getBytes());
    assertThat(restFixture.meters.get("ensemble.clock.rejections").counter().count()).isPositive();

    assertThat(restFixture.call("DELETE", ENTRY, NONE).statusCode()).isEqualTo(204);
    assertThat(restFixture.call("PUT", ENTRY, "a".getBytes()).statusCode()).isEqualTo(204);
    assertThat(restFixture.get(ENTRY).body()).isEqualTo("a".getBytes());
  }
}
