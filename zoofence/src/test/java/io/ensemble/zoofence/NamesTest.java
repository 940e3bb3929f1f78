package io.ensemble.zoofence;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NamesTest {
  private static final List<String> PATHS =
      List.of("/a", "/a/b", "/a%2Fb", "/a%252Fb", "/%", "/25%2F", "/a#1", "/%25/%2F");

  @Test
  void aPathAsANameReadsTheSame() {
    assertThat(PATHS)
        .allSatisfy(
            path -> {
              assertThat(Names.unescaped(Names.escaped(path))).isEqualTo(path);
              assertThat(Names.recorded(Names.record(path, 17))).isEqualTo(path);
              assertThat(Names.escaped(path)).doesNotContain("/");
            });
  }

  @Test
  void twoPathsHaveTwoNames() {
    assertThat(PATHS.stream().map(Names::escaped)).doesNotHaveDuplicates();
  }

  @Test
  void onlyOurOwnZnodesAreHidden() {
    assertThat(List.of(Names.ROOT, Names.GUARD, Names.ADMIN, Names.QUEUES)).allMatch(Names::hidden);
    assertThat(List.of("/", "/zookeeper", "/zookeeper/quota", "/zookeeper/zoofence2", "/zoofence"))
        .noneMatch(Names::hidden);
  }

  @Test
  void aQueueIsNamedByTheBitsOfItsSet() {
    assertThat(Names.queue(InstanceSet.of(0, 4))).isEqualTo(Names.QUEUES + "/11");
    assertThat(Names.queue(InstanceSet.first(64))).endsWith("/ffffffffffffffff");
  }
}
