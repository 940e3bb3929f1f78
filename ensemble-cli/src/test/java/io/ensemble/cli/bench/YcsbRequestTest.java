package io.ensemble.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SiteSecurity;
import io.ensemble.check.process.CommandException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class YcsbRequestTest {

  private static final List<SiteDescriptor> SITES =
      List.of(
          new SiteDescriptor("lyon", List.of("h:1", "h:2")),
          new SiteDescriptor("oslo", List.of("h:3")));

  @Test
  void everySettingBecomesAnArgument() {
    YcsbRequest request =
        new YcsbRequest("a", "weak", 2, 16, 500, 1000, 2000, Path.of("/tmp/results"));

    assertThat(request.arguments(SITES, "/d"))
        .containsExactly(
            ("--endpoints lyon=h:1,h:2;oslo=h:3 --workload a --mode weak --replication 2"
                    + " --threads 16 --target 500 --records 1000 --operations 2000"
                    + " --catalog /d --out /tmp/results")
                .split(" "));
  }

  @Test
  void whatIsNotSaidIsLeftToTheBenchmarks() {
    YcsbRequest request = new YcsbRequest("e", "raw", null, null, null, null, null, null);

    assertThat(request.arguments(SITES, null))
        .containsExactly(
            "--endpoints", "lyon=h:1,h:2;oslo=h:3", "--workload", "e", "--mode", "raw");
  }

  @Test
  void ofSecretsOnlyTheirPlacesBecomeArguments() {
    SiteDescriptor lyon =
        new SiteDescriptor(
            "lyon",
            List.of("h:1"),
            new SiteSecurity.User("ada", "/s/ada", null, "DIGEST-SHA-256"),
            new SiteSecurity.Trust(
                "/s/trust.p12",
                null,
                "TRUST",
                "/s/ours.p12",
                "/s/ours",
                null,
                "lyon.example",
                "/s/sites.crl"));

    assertThat(YcsbRequest.brief("a", "raw", 1, 2, 3, 4).arguments(List.of(lyon), null))
        .containsSubsequence(
            ("--endpoints lyon=h:1 -p ensemble.site.lyon.user=ada"
                    + " -p ensemble.site.lyon.password.file=/s/ada"
                    + " -p ensemble.site.lyon.mechanism=DIGEST-SHA-256"
                    + " -p ensemble.site.lyon.trust.store=/s/trust.p12"
                    + " -p ensemble.site.lyon.trust.password.env=TRUST"
                    + " -p ensemble.site.lyon.key.store=/s/ours.p12"
                    + " -p ensemble.site.lyon.key.password.file=/s/ours"
                    + " -p ensemble.site.lyon.sni=lyon.example"
                    + " -p ensemble.site.lyon.revocation.list=/s/sites.crl --workload a")
                .split(" "));
  }

  @Test
  void missingBenchmarksAreNamed(@TempDir Path directory) {
    Path missing = directory.resolve("lib");

    assertThatThrownBy(() -> new YcsbProcess(missing))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(missing.toString());
  }
}
