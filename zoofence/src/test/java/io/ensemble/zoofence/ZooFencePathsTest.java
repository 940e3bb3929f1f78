package io.ensemble.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ZooFencePathsTest {
  private static final List<String> PATHS =
      List.of("/a", "/a/b", "/a%2Fb", "/a%252Fb", "/%", "/25%2F", "/a#1", "/%25/%2F");

  @Test
  void aPathAsANameReadsTheSame() {
    assertThat(PATHS)
        .allSatisfy(
            path -> {
              assertThat(ZooFencePaths.unescaped(ZooFencePaths.escaped(path))).isEqualTo(path);
              assertThat(ZooFencePaths.recorded(ZooFencePaths.record(path, 17))).isEqualTo(path);
              assertThat(ZooFencePaths.escaped(path)).doesNotContain("/");
            });
  }

  @Test
  void twoPathsHaveTwoNames() {
    assertThat(PATHS.stream().map(ZooFencePaths::escaped)).doesNotHaveDuplicates();
  }

  @Test
  void onlyOurOwnZnodesAreHidden() {
    assertThat(
            List.of(
                ZooFencePaths.ROOT, ZooFencePaths.GUARD, ZooFencePaths.ADMIN, ZooFencePaths.QUEUES))
        .allMatch(ZooFencePaths::hidden);
    assertThat(List.of("/", "/zookeeper", "/zookeeper/quota", "/zookeeper/zoofence2", "/zoofence"))
        .noneMatch(ZooFencePaths::hidden);
  }

  @Test
  void aQueueIsNamedByTheBitsOfItsSet() {
    assertThat(ZooFencePaths.queue(InstanceSet.of(0, 4))).isEqualTo(ZooFencePaths.QUEUES + "/11");
    assertThat(ZooFencePaths.queue(InstanceSet.first(64))).endsWith("/ffffffffffffffff");
  }
}
