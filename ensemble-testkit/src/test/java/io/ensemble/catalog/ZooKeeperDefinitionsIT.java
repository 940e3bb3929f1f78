package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.CatalogException.Reason;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.zookeeper.ZooKeeperNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ZooKeeperDefinitionsIT extends DefinitionsTest {

  @TempDir static Path directory;

  private static final int PORT = Ports.reserve(1);
  private static ZooKeeperNode node;
  private static int catalogs;

  private final String path = "/catalogs/" + catalogs++;
  private final List<ZooKeeperDefinitions> opened = new ArrayList<>();

  @BeforeAll
  static void start() {
    node = ZooKeeperNode.start(directory, PORT);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @AfterEach
  void close() {
    opened.forEach(ZooKeeperDefinitions::close);
  }

  /** Another client each time, as another process would have. */
  @Override
  Definitions definitions() {
    return open(ZooKeeperAccess.to(node.connectString() + path));
  }

  private ZooKeeperDefinitions open(ZooKeeperAccess access) {
    ZooKeeperDefinitions definitions = ZooKeeperDefinitions.at(access);
    opened.add(definitions);
    return definitions;
  }

  /** Versions of a node that is made anew begin at 0 again. */
  @Test
  void aChangeBegunBeforeADeletionIsNotMadeInWhatWasCreatedSince() {
    Records records = ZooKeeperRecords.at(ZooKeeperAccess.to(node.connectString() + path));
    Definitions definitions = definitions();
    get(definitions.create(FIRST));
    Records.Held seen = get(records.get(Records.Kind.CACHE, "c")).orElseThrow();
    get(definitions.delete(FIRST));
    StoredDefinition again = StoredDefinition.first(CACHE, OTHER_BIRTH, Map.of("a", "0000000a"));
    get(definitions.create(again));

    assertThat(get(records.replace(Records.Kind.CACHE, "c", seen, seen.text()))).isFalse();
    assertThat(get(records.delete(Records.Kind.CACHE, "c", seen))).isFalse();

    assertThat(get(definitions.get("c"))).contains(again);
    ((ZooKeeperRecords) records).close();
  }

  @Test
  void whileTheServerIsAwayNothingCountsAsDeletedAndAfterwardsAllIsThere() {
    Definitions definitions = definitions();
    get(definitions.create(FIRST));
    node.close();
    try {
      assertThatThrownBy(() -> get(definitions.get("c")))
          .isInstanceOf(CatalogException.class)
          .hasMessageContaining("does not answer; servers=127.0.0.1:" + PORT)
          .satisfies(
              e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNAVAILABLE));
      assertThatThrownBy(() -> get(definitions.delete(FIRST))).isInstanceOf(CatalogException.class);
    } finally {
      node = ZooKeeperNode.start(directory, PORT);
    }

    assertThat(get(definitions.get("c"))).contains(FIRST);
    assertThat(get(definitions.replace(FIRST.withIncarnation("ü", "0000000f")))).isTrue();
  }

  @Test
  void whatAUserWritesIsForThatUserAlone() {
    ZooKeeperAccess owner =
        ZooKeeperAccess.to(node.connectString() + path + "/owned")
            .withUser("ensemble", "secret"::toCharArray);
    get(open(owner).create(FIRST));

    assertThat(get(open(owner).get("c"))).contains(FIRST);
    assertThatThrownBy(
            () -> get(open(ZooKeeperAccess.to(node.connectString() + path + "/owned")).get("c")))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("NOAUTH")
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.NOT_ALLOWED));
    assertThat(owner.toString()).doesNotContain("secret");
  }
}
