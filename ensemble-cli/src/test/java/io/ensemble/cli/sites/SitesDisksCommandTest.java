package io.ensemble.cli.sites;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SitesDisksCommandTest {

  @TempDir Path data;

  @BeforeEach
  void aFederationOnDisk() throws IOException {
    Files.writeString(data.resolve("federation.json"), "{}");
    Files.createDirectory(data.resolve("catalog"));
    node("lyon", 0, "1");
    node("lyon", 1, "1");
    node("oslo", 0, "1");
  }

  @Test
  void whatIsFreeAndKeptFreeIsShownOfEachNode() throws IOException {
    CliResult ran = CliResult.ensemble("sites", "disks", "--data", data.toString(), "--json");

    assertThat(ran.code()).isEqualTo(ExitCode.OK);
    JsonNode nodes = ran.json().path("nodes");
    assertThat(nodes.findValuesAsText("site")).containsExactly("lyon", "lyon", "oslo");
    assertThat(nodes.findValuesAsText("node")).containsExactly("0", "1", "0");
    assertThat(nodes.path(0).path("free_bytes").asLong()).isPositive();
    assertThat(nodes.path(0).path("reserve_bytes").asLong()).isEqualTo(1);
    assertThat(nodes.path(0).path("state").asText()).isEqualTo("enough");
  }

  @Test
  void aDiskThatIsLowFailsIt() throws IOException {
    node("oslo", 0, String.valueOf(Long.MAX_VALUE / 2));

    CliResult ran = CliResult.ensemble("sites", "disks", "--data", data.toString());

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.out()).contains("enough", "LOW");
  }

  @Test
  void aNodeThatIsSilentFailsItThoughThereIsRoom() throws IOException {
    Files.writeString(data.resolve("lyon/1/disk-low"), "free_bytes=0");
    node("lyon", 1, String.valueOf(256L << 20));

    CliResult ran = CliResult.ensemble("sites", "disks", "--data", data.toString());

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.out()).contains("LOW: rejects clients until 384 MB are free");
  }

  @Test
  void whereNoFederationIsThatIsSaid(@TempDir Path other) {
    CliResult ran = CliResult.ensemble("sites", "disks", "--data", other.toString());

    assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ran.err()).contains("the directory has no data of a federation", other.toString());
  }

  @Test
  void ofServersOfOnesOwnItIsSaidThatItCannotBeKnown() throws IOException {
    Path file =
        Files.writeString(
            data.resolve("sites.json"),
            """
            {"version": 1, "sites": [
              {"name": "lyon", "endpoints": ["h:1", "i:1"], "storage": "disk"},
              {"name": "oslo", "endpoints": ["j:1"]}], "catalog": "%s"}
            """
                .formatted(data.resolve("catalog")));

    CliResult ran = CliResult.ensemble("sites", "disks", "--federation", file.toString());

    assertThat(ran.code()).as(ran.err()).isEqualTo(ExitCode.OK);
    assertThat(ran.out()).containsSubsequence("h:1", "unknown", "i:1", "unknown", "j:1", "memory");
  }

  private void node(String site, int number, String reserve) throws IOException {
    Path conf = data.resolve(site).resolve(String.valueOf(number)).resolve("conf");
    Files.createDirectories(conf);
    Files.writeString(conf.resolve("disk-reserve"), reserve);
  }
}
