package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.heat.HeatRecorder;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The heat map of a cache, as another process has published it. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class HeatResourceTest {

  private static final byte[] NONE = {};

  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private HttpResponse<byte[]> get(String path) throws Exception {
    return restFixture.call("GET", path, NONE);
  }

  @Test
  void theOperationsOfAnotherProcessAreShown() throws Exception {
    HeatRecorder recorder = HeatRecorder.create();
    try (EnsembleCacheManager process = restFixture.builder().recorder(recorder).build()) {
      recorder.publishTo(process);
      EnsembleCache<String, String> stock =
          process.createCache(
              CacheDefinition.of("stock", Mode.MWMR).sites("lyon", "oslo", "rome").build());
      for (int i = 0; i < 30; i++) {
        stock.put("k" + i % 3, "value");
        assertThat(stock.get("k0")).isEqualTo("value");
      }
      assertThat(RestFixture.body(get("/caches/stock/heat")).get("processes").asInt()).isZero();
      recorder.close();
    }

    HttpResponse<byte[]> got = get("/caches/stock/heat?minutes=5&top=2");

    assertThat(got.statusCode()).as(new String(got.body())).isEqualTo(200);
    JsonNode heat = RestFixture.body(got);
    assertThat(heat.get("processes").asInt()).isEqualTo(1);
    assertThat(heat.get("reads").asInt()).isEqualTo(30);
    assertThat(heat.get("writes").asInt()).isEqualTo(30);
    assertThat(heat.get("keys")).hasSize(2);
    assertThat(heat.at("/keys/0/key").asText()).isEqualTo("k0");
    assertThat(heat.at("/keys/0/operations/lower").asInt()).isEqualTo(40);
    assertThat(heat.at("/distinctKeys/estimate").asInt()).isEqualTo(3);
    assertThat(heat.at("/valueBytes/p50").asInt()).isEqualTo(6);
    assertThat(heat.get("sites")).hasSize(3);
    assertThat(heat.at("/intervals/0/keys/0").asInt()).isPositive();
    assertThat(heat.get("intervalSeconds").asInt()).isEqualTo(60);
    assertThat(heat.get("complete").asBoolean()).isTrue();
    assertThat(heat.get("origins")).hasSize(1);
    assertThat(heat.at("/origins/0/reads").asInt()).isEqualTo(30);
    assertThat(heat.at("/origins/0/roundTripMillis/lyon").asDouble()).isPositive();
  }

  @Test
  void wrongNumbersAndAbsentCachesAreRefused() throws Exception {
    assertThat(get("/caches/absent/heat").statusCode()).isEqualTo(404);
    for (String query : new String[] {"minutes=0", "minutes=1441", "top=101", "top=x"}) {
      assertThat(get("/caches/absent/heat?" + query).statusCode()).as(query).isEqualTo(422);
    }
  }
}
