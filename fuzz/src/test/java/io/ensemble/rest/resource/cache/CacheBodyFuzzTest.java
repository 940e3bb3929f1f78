package io.ensemble.rest.resource.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.rest.FuzzRequests;
import io.ensemble.rest.json.JsonFields;
import java.util.List;
import java.util.Optional;

/** Caches to be created and altered, as arbitrary clients describe them. */
class CacheBodyFuzzTest {

  private static final CacheDefinition NOW =
      CacheDefinition.of("c", Mode.MWMR).sites("lyon", "oslo", "rome").build();
  private static final DistributedDefinition PARTS =
      new DistributedDefinition("c", List.of("a", "b"), DistributedDefinition.DEFAULT, false);

  @FuzzTest(maxDuration = "3m")
  void aCacheIsTakenOrRefusedByItsField(byte[] body) {
    FuzzRequests.read(() -> created(body))
        .ifPresent(made -> assertThat(made).isInstanceOf(Record.class));
    FuzzRequests.read(() -> alter(body).applyTo(NOW, copies -> List.of("a", "b", "d", "e")))
        .ifPresent(to -> assertThat(to.name()).isEqualTo("c"));
    FuzzRequests.read(() -> alter(body).applyTo(PARTS))
        .ifPresent(to -> assertThat(to.name()).isEqualTo("c"));
    FuzzRequests.read(() -> alter(body).keysPerSecond())
        .ifPresent(rate -> assertThat(rate).isNotNegative());
  }

  private static AlterCacheBody alter(byte[] body) {
    return new AlterCacheBody(JsonFields.of(FuzzRequests.with(body), AlterCacheBody.FIELDS));
  }

  /** Everything that is made of a body before a request to a site or to the catalog. */
  private static Object created(byte[] body) {
    JsonFields fields = JsonFields.of(FuzzRequests.with(body), CreateCacheBody.FIELDS);
    CreateCacheBody cache = new CreateCacheBody(fields, fields.text("name").orElse("c"));
    if (cache.isDistributed()) {
      return cache.distributed();
    }
    CacheDefinition.Builder settings = cache.definitionBuilder();
    Optional<List<String>> sites = cache.sites();
    return sites.isPresent()
        ? CreateCacheBody.buildDefinition(() -> settings.sites(sites.get()).build())
        : cache.placementPolicy();
  }
}
