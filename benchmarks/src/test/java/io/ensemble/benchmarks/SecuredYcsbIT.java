package io.ensemble.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.benchmarks.store.StoreMode;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSecurity;
import io.ensemble.testkit.embedded.PasswordOverTls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs on a site with passwords over TLS: one mode in the gate, the others nightly. */
class SecuredYcsbIT {

  @TempDir static Path directory;

  private static PasswordOverTls security;
  private static EmbeddedFederation federation;

  @BeforeAll
  static void start() {
    security = EmbeddedSecurity.passwordOverTls("ada", "hush", directory);
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults()
                .withSiteNames("lyon")
                .withNodesPerSite(1)
                .withSecurity(security));
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  /** In this mode, both a {@code Site} and a plain client connect to the site. */
  @ParameterizedTest
  @EnumSource(names = "RAW")
  void everyOperationIsDoneInside(StoreMode mode) throws Exception {
    runInside(mode);
  }

  @ParameterizedTest
  @EnumSource(names = {"WEAK", "SWMR", "MWMR"})
  @Tag("nightly")
  void everyOperationIsDoneInsideInOtherModes(StoreMode mode) throws Exception {
    runInside(mode);
  }

  private void runInside(StoreMode mode) throws Exception {
    Properties properties = Workloads.load("a");
    properties.setProperty("recordcount", "20");
    properties.setProperty("operationcount", "40");
    properties.setProperty("threadcount", "2");
    properties.setProperty(BindingProperties.ENDPOINTS, SiteAddresses.of(federation));
    properties.setProperty(BindingProperties.MODE, mode.toString());
    // The first connections over TLS are slow on a busy machine.
    properties.setProperty(BindingProperties.DEADLINE_MILLIS, "60000");
    properties.setProperty("ensemble.site.lyon.user", "ada");
    properties.setProperty("ensemble.site.lyon.password.file", kept("hush"));
    properties.setProperty("ensemble.site.lyon.trust.store", security.trustStore().toString());
    properties.setProperty(
        "ensemble.site.lyon.trust.password.file", kept(security.trustStorePassword()));
    properties.setProperty("ensemble.site.lyon.sni", "localhost");

    YcsbReport report = new YcsbRun("a", properties, "test").execute(directory);

    assertThat(report.flaws()).isEmpty();
    assertThat(report.phases().get(1).done()).isEqualTo(40);
  }

  private static String kept(String secret) throws Exception {
    return Files.writeString(directory.resolve(secret + ".secret"), secret).toString();
  }
}
