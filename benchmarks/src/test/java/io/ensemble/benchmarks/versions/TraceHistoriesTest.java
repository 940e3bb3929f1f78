package io.ensemble.benchmarks.versions;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.versioning.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TraceHistoriesTest {

  private static KeyHistory key(String name, int versions, int bytes) {
    return new KeyHistory(
        name,
        IntStream.rangeClosed(1, versions)
            .mapToObj(i -> new Versioned<>((long) i, Optional.of(new byte[bytes])))
            .toList());
  }

  @Test
  void whatBaselineDoesNotBearIsLeftOutAndCounted() {
    TraceHistories all =
        new TraceHistories(
            "t",
            List.of(key("small", 2, 10), key("large", 10, 100_000), key("many", 40_000, 1)),
            List.of(),
            0);

    TraceHistories left = all.withoutLargeKeys();

    assertThat(left.keys()).extracting(KeyHistory::key).containsExactly("small");
    assertThat(left.leftOut()).isEqualTo(2);
    assertThat(left.versions()).isEqualTo(2);
    assertThat(left.payloadBytes()).isEqualTo(20);
  }

  @Test
  void everyKeyIsInOnePart() {
    TraceHistories all = TraceHistories.of("t", SyntheticTrace.of(50, 1));
    List<String> parts = new ArrayList<>();

    for (int i = 0; i < 6; i++) {
      all.part(i, 6).keys().forEach(k -> parts.add(k.key()));
    }

    assertThat(parts)
        .hasSize(50)
        .containsExactlyInAnyOrderElementsOf(all.keys().stream().map(KeyHistory::key).toList());
  }
}
