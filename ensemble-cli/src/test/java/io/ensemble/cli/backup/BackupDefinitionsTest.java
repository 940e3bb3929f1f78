package io.ensemble.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BackupDefinitionsTest {

  private static final CacheDefinition SWMR =
      CacheDefinition.of("c", Mode.SWMR)
          .sites("lyon", "oslo", "rome")
          .replicas(5)
          .deadline(Duration.ofMillis(1_234))
          .maxValueBytes(4_321)
          .acknowledgement(Acknowledgement.PRIMARY)
          .tombstoneGrace(Duration.ofMinutes(7))
          .window(new CopyWindow(11, Duration.ofMillis(1_700)))
          .build();

  @Test
  void everySettingIsRestored() {
    assertThat(CacheDefinition.class.getRecordComponents())
        .as("a setting that is added here must be added to the manifest")
        .hasSize(10);
    assertThat(restored(SWMR, List.of())).isEqualTo(SWMR);
    for (Mode mode : Mode.values()) {
      CacheDefinition plain = CacheDefinition.of("c", mode).sites("lyon", "oslo", "rome").build();
      assertThat(restored(plain, List.of())).isEqualTo(plain);
    }
  }

  @Test
  void atAsManyOtherSitesTheNumberOfReplicasStays() {
    CacheDefinition other = restored(SWMR, List.of("bern", "graz", "linz"));

    assertThat(other.sites()).hasSize(5);
    assertThat(other.siteNames()).containsExactly("bern", "graz", "linz");
    assertThat(other.at(SWMR.sites())).isEqualTo(SWMR);
  }

  @Test
  void atFewerSitesTheNumberOfReplicasIsTheUsualOne() {
    assertThat(restored(SWMR, List.of("bern")).sites()).containsExactly("bern");
    assertThat(restored(SWMR, List.of("bern", "graz")).sites()).containsExactly("bern", "graz");
  }

  private static CacheDefinition restored(CacheDefinition definition, List<String> sites) {
    return BackupDefinitions.toDefinition(BackupDefinitions.of(definition, 0), "c", sites);
  }
}
