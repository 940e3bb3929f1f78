package io.ensemble.testkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.EnsembleCache;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WriteOnceWorkloadTest {

  @Test
  void aCacheThatLostAWriteLeavesWhatWasAcknowledged() throws Exception {
    EnsembleCache<String, String> cache = cacheOf(Map.of("first-1", "v1", "first-2", "other"));
    Map<String, String> acknowledged = Map.of("first-1", "v1", "first-2", "v2", "first-3", "v3");

    Throwable failure =
        catchThrowable(
            () -> WriteOnceWorkload.assertKept(acknowledged, cache, WriteOnceWorkloadTest.class));

    assertThat(failure)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("of 3 acknowledged");
    Path kept = Path.of(failure.getMessage().replaceAll("(?s).*\nrecords: ", ""));
    try {
      assertThat(kept.getFileName().toString()).startsWith("WriteOnceWorkloadTest-kept");
      assertThat(Files.readAllLines(kept))
          .containsExactly(
              "lost:",
              "first-2: acknowledged v2, found other",
              "first-3: acknowledged v3, found null",
              "acknowledged:",
              "first-1: v1",
              "first-2: v2",
              "first-3: v3");
    } finally {
      Files.delete(kept);
    }
  }

  /** A cache that supports reads and has a name. */
  @SuppressWarnings("unchecked")
  private static EnsembleCache<String, String> cacheOf(Map<String, String> entries) {
    return (EnsembleCache<String, String>)
        Proxy.newProxyInstance(
            WriteOnceWorkloadTest.class.getClassLoader(),
            new Class<?>[] {EnsembleCache.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "get" -> entries.get(arguments[0]);
                  case "getName" -> "kept";
                  default -> throw new UnsupportedOperationException(method.toString());
                });
  }
}
