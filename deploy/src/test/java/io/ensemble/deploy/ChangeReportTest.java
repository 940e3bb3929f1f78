package io.ensemble.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.Step;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What commands say of a change. */
final class ChangeReportTest {

  private static final String BIRTH = "0123456789ab0123456789ab";

  @Test
  void keysThatAreTakenOverAreCountedAndTheCacheIsNotYetTheOther() {
    CacheDefinition weak = CacheDefinition.of("c", Mode.WEAK).sites("a").build();
    CacheDefinition strong = CacheDefinition.of("c", Mode.MWMR).sites("b").build();
    Change change =
        Change.begun(strong, Map.of("b", "0000000b"), "me", new TreeSet<>())
            .at(Step.JOINT)
            .beaten(30, 40);
    StoredDefinition stored =
        StoredDefinition.first(weak, BIRTH, Map.of("a", "0000000a")).with(Optional.of(change));

    ChangeReport report = ChangeReport.of(stored);

    assertThat(report.step()).isEqualTo("joint");
    assertThat(report.text()).startsWith("joint, 30 of 40 keys");
    assertThat(report.number()).isEqualTo(2);
    assertThat(report.from()).isEqualTo(ChangeReport.Placed.of(weak));
    assertThat(report.to()).isEqualTo(ChangeReport.Placed.of(strong));
  }
}
