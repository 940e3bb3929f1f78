package io.ensemble.check.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StoreFindingsTest {

  private static final String OURS = "5be0c2a17d4f";
  private static final String STORE = "orders.1." + OURS + "03d7e1526fa9.50e7ba6c";
  private static final String OTHER = "orders.1.aaaaaaaaaaaa03d7e1526fa9.50e7ba6c";

  private static List<Finding> found(Set<String> stores, Set<String> needed, Set<String> named) {
    return StoreFindings.of("lyon", OURS, stores, needed, named, Set.of("damaged"));
  }

  @Test
  void storesThatCachesNameAreInOrderAndCachesOfOtherApplicationsAreIgnored() {
    assertThat(found(Set.of(STORE, "___script_cache", "sessions.1"), Set.of(STORE), Set.of()))
        .extracting(Finding::severity, Finding::seen)
        .containsExactly(tuple(FindingSeverity.OK, "1 stores, each of a cache"));
  }

  @Test
  void aStoreThatNoCacheNamesIsAWarning() {
    assertThat(found(Set.of(STORE), Set.of(), Set.of()))
        .extracting(Finding::severity, Finding::check)
        .containsExactly(tuple(FindingSeverity.WARNING, "stores"));
  }

  @Test
  void aStoreOfAChangeOrOfADamagedRecordIsNoOrphan() {
    String damaged = "damaged.1." + OURS + "03d7e1526fa9.50e7ba6c50e7ba6c";

    assertThat(found(Set.of(STORE, damaged), Set.of(), Set.of(STORE)))
        .extracting(Finding::severity)
        .containsExactly(FindingSeverity.OK);
  }

  @Test
  void aDefinitionWithoutItsStoreIsAnErrorWithTheCommandThatRepairs() {
    assertThat(found(Set.of(), Set.of(STORE), Set.of(STORE)))
        .singleElement()
        .satisfies(
            one -> {
              assertThat(one.severity()).isEqualTo(FindingSeverity.ERROR);
              assertThat(one.seen()).contains(STORE);
              assertThat(one.remedy()).startsWith("./ensemble sites recover lyon");
            });
  }

  @Test
  void storesOfAnUnknownCatalogHaveAnUnknownOwner() {
    assertThat(found(Set.of(OTHER, STORE), Set.of(STORE), Set.of()))
        .extracting(Finding::severity, Finding::check, Finding::seen)
        .containsExactly(
            tuple(
                FindingSeverity.WARNING,
                "owners",
                "1 stores of an unknown catalog, id aaaaaaaaaaaa"),
            tuple(FindingSeverity.OK, "stores", "1 stores, each of a cache"));
  }
}
