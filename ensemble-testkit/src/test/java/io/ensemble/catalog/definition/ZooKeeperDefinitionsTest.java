package io.ensemble.catalog.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.ZooKeeperAccess;
import io.ensemble.catalog.record.ZooKeeperRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of all catalogs, and the properties of catalogs in ZooKeeper. */
abstract class ZooKeeperDefinitionsTest extends CatalogContract {

  private static int catalogs;

  final String path = "/catalogs/" + catalogs++;
  private final List<ZooKeeperDefinitions> opened = new ArrayList<>();

  /** The connect string. */
  abstract String servers();

  /** Makes the servers unreachable. */
  abstract void leave();

  /** Makes the servers reachable again. */
  abstract void comeBack();

  @AfterEach
  void close() {
    opened.forEach(ZooKeeperDefinitions::close);
  }

  /** A new client for each call, as in another process. */
  @Override
  public Definitions definitions() {
    return open(ZooKeeperAccess.to(servers() + path));
  }

  final ZooKeeperDefinitions open(ZooKeeperAccess access) {
    ZooKeeperDefinitions definitions = ZooKeeperDefinitions.at(access);
    opened.add(definitions);
    return definitions;
  }

  /** The version of a recreated znode starts at 0 again. */
  @Test
  void aChangeBegunBeforeADeletionIsNotMadeInWhatWasCreatedSince() {
    CatalogRecords records = ZooKeeperRecords.at(ZooKeeperAccess.to(servers() + path));
    Definitions definitions = definitions();
    get(definitions.create(FIRST));
    CatalogRecords.VersionedRecord seen =
        get(records.get(CatalogRecords.Kind.CACHE, "c")).orElseThrow();
    get(definitions.delete(FIRST));
    StoredDefinition again = StoredDefinition.first(CACHE, OTHER_BIRTH, Map.of("a", "0000000a"));
    get(definitions.create(again));

    assertThat(get(records.replace(CatalogRecords.Kind.CACHE, "c", seen, seen.text()))).isFalse();
    assertThat(get(records.delete(CatalogRecords.Kind.CACHE, "c", seen))).isFalse();

    assertThat(get(definitions.get("c"))).contains(again);
    ((ZooKeeperRecords) records).close();
  }

  /** An unreachable catalog is not taken for an empty one, and its content is there afterwards. */
  final void leaveAndComeBack() {
    Definitions definitions = definitions();
    get(definitions.create(FIRST));
    leave();
    try {
      assertThatThrownBy(() -> get(definitions.get("c")))
          .isInstanceOf(CatalogException.class)
          .hasMessageContaining("does not answer; servers=" + servers())
          .satisfies(
              e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNAVAILABLE));
      assertThatThrownBy(() -> get(definitions.delete(FIRST))).isInstanceOf(CatalogException.class);
    } finally {
      comeBack();
    }

    assertThat(get(definitions.get("c"))).contains(FIRST);
    assertThat(get(definitions.replace(FIRST.withIncarnation("ü", "0000000f")))).isTrue();
  }

  @Test
  void whatAUserWritesIsForThatUserAlone() {
    ZooKeeperAccess owner =
        ZooKeeperAccess.to(servers() + path + "/owned").withUser("ensemble", "secret"::toCharArray);
    get(open(owner).create(FIRST));

    assertThat(get(open(owner).get("c"))).contains(FIRST);
    assertThatThrownBy(() -> get(open(ZooKeeperAccess.to(servers() + path + "/owned")).get("c")))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("NOAUTH")
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.NOT_ALLOWED));
    assertThat(owner.toString()).doesNotContain("secret");
  }
}
