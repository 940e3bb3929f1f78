package io.ensemble.cli.sites;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.cli.CliResult;
import io.ensemble.cli.UpProcess;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A site joins a running federation and takes the caches of another site, which leaves. */
@Timeout(180)
@Tag("nightly")
class SitesIT {

  @TempDir Path directory;

  @Test
  void aSiteJoinsAndAnotherIsDrainedAndLeaves() throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    UpProcess up = UpProcess.started(file, "--nodes", "1", "--sites", "2");
    try {
      String catalog = up.published().at("/federation/catalog").asText();
      up.run(0, "caches", "create", "c", "--mode", "mwmr");
      up.run(0, "caches", "create", "only", "--mode", "weak", "--sites", "lyon");
      up.run(0, "put", "c", "k", "v", "--deadline", "60s");
      assertThat(up.run(1, "sites", "remove", "lyon").err())
          .contains("drain it first", "c, only (only copy)");
      assertThat(up.run(1, "sites", "drain", "lyon").err()).contains("too few", "caches=c");
      UpProcess joined =
          UpProcess.started(file, "--site", "bern", "--nodes", "1", "--label", "bern:region=alps");
      try {
        assertThat(joined.published().at("/site/name").asText()).isEqualTo("bern");
        assertThat(up.run(1, "sites", "add", "bern", "--endpoints", "127.0.0.1:1").err())
            .contains("no node of the site answers");
        assertThat(
                up.run(2, "sites", "add", "bern", "--endpoints", "127.0.0.1:1", "--no-check").err())
            .contains("a site of this name exists");
        assertThat(
                up.run(0, "sites", "add", "bern", "--if-absent", "--endpoints", "127.0.0.1:1")
                    .out())
            .as("no check, no change")
            .isEqualToIgnoringNewLines("exists: site 'bern'");
        JsonNode bern = site(catalog, "bern");
        assertThat(bern.at("/labels/region").asText()).isEqualTo("alps");
        assertThat(bern.get("reachable").asBoolean()).isTrue();
        assertThat(bern.get("caches")).isEmpty();
        assertThat(up.run(0, "caches", "alter", "only", "--add-site", "bern").out())
            .as("a site that is not in the file of the federation")
            .contains("altered: cache 'only' is weak at lyon,bern");

        JsonNode drained = up.run(0, "sites", "drain", "lyon", "--json").json();

        assertThat(drained.get("drained").asBoolean()).isTrue();
        assertThat(drained.at("/caches/0/to").toString()).isEqualTo("[\"bern\",\"oslo\"]");
        assertThat(up.run(0, "get", "c", "k", "--deadline", "60s").out())
            .isEqualToIgnoringNewLines("v");
        assertThat(up.run(0, "sites", "drain", "lyon").out())
            .isEqualToIgnoringNewLines("drained: no cache is at lyon");
        assertThat(site(catalog, "lyon").get("state").asText()).isEqualTo("draining");
        assertThat(up.run(2, "caches", "create", "d", "--mode", "weak", "--sites", "lyon").err())
            .contains("the site is being drained");
        assertThat(up.run(0, "sites", "remove", "lyon").out()).contains("removed");
        assertThat(up.run(0, "sites", "list").out()).doesNotContain("lyon").contains("bern");
        assertThat(up.run(0, "get", "c", "k", "--deadline", "60s").out())
            .isEqualToIgnoringNewLines("v");
      } finally {
        joined.stop();
      }
      JsonNode bern = site(catalog, "bern");
      assertThat(bern.get("reachable").asBoolean()).as("down, and known still").isFalse();
      assertThat(bern.get("only_copies").toString()).as("oslo has c too").doesNotContain("\"c\"");
    } finally {
      up.stop();
    }
  }

  private static JsonNode site(String catalog, String name) throws Exception {
    CliResult listed = CliResult.ensemble(List.of("sites", "list", "--json", "--catalog", catalog));
    assertThat(listed.code()).as(listed.err()).isZero();
    for (JsonNode site : listed.json().get("sites")) {
      if (site.get("name").asText().equals(name)) {
        return site;
      }
    }
    throw new AssertionError("no site " + name + " in " + listed.out());
  }
}
