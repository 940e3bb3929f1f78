package io.ensemble.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreSettingsTest {

  private static final List<SiteConfiguration> TWO =
      SiteAddresses.parse("lyon=127.0.0.1:1,localhost:2; oslo=[::1]:3;");

  @Test
  void addressesAreRead() {
    assertThat(TWO).extracting(SiteConfiguration::name).containsExactly("lyon", "oslo");
    assertThat(TWO.get(0).endpoints()).hasToString("[127.0.0.1:1, localhost:2]");
    assertThat(TWO.get(1).endpoints()).hasToString("[[::1]:3]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        "lyon",
        "lyon=",
        "=h:1",
        "lyon=h",
        "lyon=h:0",
        "lyon=h:1,",
        "a=h:1;a=h:2"
      })
  void wrongAddressesAreRefused(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> SiteAddresses.parse(text));
  }

  @Test
  void modesSpreadOverSoManySitesWhenNobodySays() {
    assertThat(StoreMode.WEAK.defaultReplication(3)).isEqualTo(2);
    assertThat(StoreMode.WEAK.defaultReplication(1)).isEqualTo(1);
    assertThat(StoreMode.MWMR.defaultReplication(5)).isEqualTo(5);
    assertThat(StoreMode.RAW.defaultReplication(3)).isEqualTo(1);
  }

  @Test
  void replicationIsWithinTheSites() {
    assertThat(settings(StoreMode.MWMR, 1).holders()).containsExactly("lyon");
    assertThat(settings(StoreMode.WEAK, 2).holders()).containsExactly("lyon", "oslo");
    assertThatIllegalArgumentException().isThrownBy(() -> settings(StoreMode.WEAK, 3));
    assertThatIllegalArgumentException().isThrownBy(() -> settings(StoreMode.WEAK, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> settings(StoreMode.RAW, 2));
  }

  private static StoreSettings settings(StoreMode mode, int replication) {
    return new StoreSettings(
        TWO, mode, replication, "cache", Duration.ofSeconds(1), Duration.ZERO, null);
  }
}
