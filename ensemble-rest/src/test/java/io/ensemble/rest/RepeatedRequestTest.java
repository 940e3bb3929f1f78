package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.keyset.KeysetFile;
import io.ensemble.keyset.KeysetReference;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A repeated request has the same result, and leaves what exists unchanged. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class RepeatedRequestTest {

  private final RestFixture restFixture = new RestFixture();

  @TempDir Path dir;

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private HttpResponse<byte[]> create(String json, String key) throws Exception {
    return restFixture.json("POST", "/caches", json, "Idempotency-Key", key);
  }

  private static JsonNode told(HttpResponse<byte[]> answer, int status) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(status);
    return RestFixture.body(answer);
  }

  @Test
  void aKeyOfAnotherCreationIsRefused() throws Exception {
    told(create("{}", "k"), 201);

    JsonNode problem = told(create("{\"consistency\": \"MWMR\"}", "k"), 422);

    assertThat(problem.get("type").asText()).isEqualTo("/problems/idempotency-key-reused");
    assertThat(restFixture.manager.getCacheNames()).hasSize(1);
  }

  @Test
  void aKeySaysNothingOfACacheThatHasAName() throws Exception {
    told(restFixture.json("POST", "/caches", "{\"name\": \"orders\"}"), 201);

    told(create("{\"name\": \"orders\"}", "new"), 200);
  }

  @Test
  void aNameOfAKeyIsOfAllItsBits() throws Exception {
    assertThat(told(create("{}", "k"), 201).get("name").asText()).matches("cache-[0-9a-f]{32}");
  }

  @Test
  void whatIsNotAlteredStays() throws Exception {
    restFixture.manager.createCache(
        CacheDefinition.of("p", Mode.SWMR)
            .sites("lyon", "oslo", "rome")
            .deadline(Duration.ofMillis(1_234))
            .maxValueBytes(4_321)
            .acknowledgement(Acknowledgement.PRIMARY)
            .tombstoneGrace(Duration.ofMinutes(7))
            .window(new CopyWindow(17, Duration.ofSeconds(3)))
            .build());
    restFixture.manager.createCache(
        CacheDefinition.of("w", Mode.WEAK).sites("lyon").siblings(3).build());
    CacheDefinition before = restFixture.manager.stored("p").orElseThrow().definition();

    told(restFixture.json("PATCH", "/caches/p", "{}"), 200);
    told(restFixture.json("PATCH", "/caches/w", "{}"), 200);

    assertThat(restFixture.manager.stored("p").orElseThrow().definition()).isEqualTo(before);
    assertThat(restFixture.manager.stored("w").orElseThrow().configuration()).isEqualTo(1);
  }

  /** The definition that the cache has, or is changing to. */
  private CacheDefinition becoming(String cache) {
    StoredDefinition stored = restFixture.manager.stored(cache).orElseThrow();
    return stored.change().map(ConfigurationChange::to).orElse(stored.definition());
  }

  @Test
  void everySettingCanBeAltered() throws Exception {
    restFixture.manager.createCache(
        CacheDefinition.of("p", Mode.SWMR)
            .sites("lyon", "oslo", "rome")
            .acknowledgement(Acknowledgement.PRIMARY)
            .window(new CopyWindow(17, Duration.ofSeconds(3)))
            .build());
    restFixture.manager.createCache(CacheDefinition.of("w", Mode.WEAK).sites("lyon").build());

    told(
        restFixture.json(
            "PATCH",
            "/caches/p",
            "{\"deadlineMillis\": 1234, \"maxValueBytes\": 4321, \"tombstoneGraceMillis\": 420000,"
                + " \"window\": {\"writes\": 18}}"),
        202);
    told(restFixture.json("PATCH", "/caches/w", "{\"siblings\": 3}"), 202);
    JsonNode refused =
        told(restFixture.json("PATCH", "/caches/w", "{\"window\": {\"writes\": 1}}"), 422);

    assertThat(becoming("p"))
        .isEqualTo(
            CacheDefinition.of("p", Mode.SWMR)
                .sites("lyon", "oslo", "rome")
                .acknowledgement(Acknowledgement.PRIMARY)
                .deadline(Duration.ofMillis(1_234))
                .maxValueBytes(4_321)
                .tombstoneGrace(Duration.ofMinutes(7))
                .window(new CopyWindow(18, Duration.ofSeconds(3)))
                .build());
    assertThat(becoming("w").siblings()).isEqualTo(3);
    assertThat(refused.get("field").asText()).isEqualTo("window");
  }

  @Test
  void aPrivateCacheIsShownAlteredAndNotReadWithoutItsKeyset() throws Exception {
    Path file = dir.resolve("secret.keyset");
    KeysetFile.at(file).create(false, false);
    try (var owner = restFixture.builder().keyset("secret", KeysetReference.inFile(file)).build()) {
      owner.createCache(
          CacheDefinition.of("secret", Mode.MWMR).sites("lyon").privacy(Privacy.VALUES).build());
    }

    JsonNode shown = told(restFixture.get("/caches/secret"), 200);
    JsonNode refused = told(restFixture.get("/caches/secret/entries/k"), 409);
    JsonNode written =
        told(restFixture.call("PUT", "/caches/secret/entries/k", "v".getBytes()), 409);

    assertThat(shown.get("privacy").asText()).isEqualTo("values");
    assertThat(refused.get("type").asText()).isEqualTo("/problems/private-cache");
    assertThat(refused.get("reason").asText()).isEqualTo("no_keyset");
    assertThat(written.get("type").asText()).isEqualTo("/problems/private-cache");
    told(restFixture.json("PATCH", "/caches/secret", "{}"), 200);
    told(restFixture.json("PATCH", "/caches/secret", "{\"sites\": [\"lyon\", \"oslo\"]}"), 202);
  }
}
