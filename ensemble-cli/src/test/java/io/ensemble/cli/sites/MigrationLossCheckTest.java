package io.ensemble.cli.sites;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.reconfiguration.LostStoreDetector.LostStores;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The report of a recovery on caches in a change to the site. */
class MigrationLossCheckTest {

  private static final LostStores MISSING = new LostStores(Set.of("oslo"), false);
  private static final LostStores FOR_GOOD = new LostStores(Set.of("oslo"), true);

  private int pauses;
  private int pausesLeft = 5;

  private boolean pause() {
    pauses++;
    return --pausesLeft > 0;
  }

  private static Optional<StoredDefinition> stored(String cache) {
    if (cache.equals("unreadable")) {
      throw new CatalogException(CatalogException.Reason.UNAVAILABLE, "away");
    }
    return Optional.of(
        StoredDefinition.first(
            CacheDefinition.of(cache, Mode.MWMR).sites("lyon").build(),
            "0123456789ab0123456789ab",
            Map.of("lyon", "0000000a")));
  }

  private LostStores look(StoredDefinition seen) {
    return switch (seen.definition().name()) {
      case "lost" -> pauses < 2 ? MISSING : FOR_GOOD;
      case "starting" -> pauses < 3 ? MISSING : LostStores.NOTHING;
      case "missing" -> MISSING;
      default -> new LostStores(Set.of("bern"), true);
    };
  }

  private List<SiteRecovery.SiteRecoveryReport> of(String... caches) {
    return new MigrationLossCheck("oslo", MigrationLossCheckTest::stored, this::look, this::pause)
        .of(List.of(caches), line -> {});
  }

  @Test
  void aSiteThatIsOnlyStartingIsWaitedFor() {
    assertThat(of("starting")).isEmpty();
    assertThat(pauses).isEqualTo(3);
  }

  @Test
  void whatIsLostElsewhereIsNotThisSites() {
    assertThat(of("elsewhere")).isEmpty();
    assertThat(pauses).isZero();
  }

  @Test
  void oneThatCannotBeLookedAtKeepsNoneFromTheRest() {
    List<SiteRecovery.SiteRecoveryReport> failed = of("unreadable", "lost", "starting");

    assertThat(failed)
        .allMatch(SiteRecovery.SiteRecoveryReport::hasFailed)
        .extracting(SiteRecovery.SiteRecoveryReport::cache)
        .containsExactly("unreadable", "lost");
    assertThat(failed.get(0).error()).contains("away");
    assertThat(failed.get(1).error())
        .contains("lost its stores at oslo during lazy migration", "delete the cache")
        .doesNotContain("is starting");
  }

  @Test
  void withoutTimeToTellTheyMayBeStarting() {
    pausesLeft = 1;

    assertThat(of("missing"))
        .singleElement()
        .satisfies(
            one ->
                assertThat(one.error())
                    .contains(
                        "lost its stores at oslo during lazy migration, or the site is starting")
                    .doesNotContain("delete"));
  }
}
