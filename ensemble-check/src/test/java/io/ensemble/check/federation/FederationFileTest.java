package io.ensemble.check.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.JsonOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FederationFileTest {

  private static final List<SiteDescriptor> SITES =
      List.of(
          new SiteDescriptor("lyon", List.of("h:1", "h:2")),
          new SiteDescriptor("oslo", List.of("h:3")));

  private static final String CATALOG = "zk://127.0.0.1:1/ensemble";

  @TempDir Path directory;
  private FederationFile file;

  @BeforeEach
  void aFileInADirectoryThatIsNotThereYet() {
    file = FederationFile.at(directory.resolve("new").resolve("f.json"));
  }

  @Test
  void whatIsPublishedIsReadUntilItIsClosed() {
    try (FederationFile.Claim claim = file.claim()) {
      FederationDescriptor published = claim.publish(SITES, CATALOG);

      assertThat(file.read()).isEqualTo(published);
      assertThat(published.sites()).isEqualTo(SITES);
      assertThat(published.siteNames()).containsExactly("lyon", "oslo");
      assertThat(published.pid()).isEqualTo(ProcessHandle.current().pid());
      assertThat(published.catalog()).isEqualTo(CATALOG);
    }

    assertThat(file.path()).doesNotExist();
    assertThatThrownBy(() -> file.read()).hasMessageContaining("run 'ensemble up'");
  }

  @Test
  void twoNeverHoldOneFile() {
    try (FederationFile.Claim claim = file.claim()) {
      claim.publish(SITES, CATALOG);

      assertThatThrownBy(() -> file.claim())
          .isInstanceOf(CommandException.class)
          .hasMessageContaining("is running already with " + file.path());
      assertThat(file.read().sites()).isEqualTo(SITES);
    }
    file.claim().close();
  }

  @Test
  void aProcessThatIsGoneIsToldFromOneThatRuns() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    write(new FederationDescriptor(1, gone.pid(), null, SITES, "d"));

    assertThatThrownBy(() -> file.read())
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("process " + gone.pid() + " does not exist")
        .hasMessageContaining("run 'ensemble up'");
  }

  @Test
  void aNumberThatAnotherProcessHasNowIsStale() throws IOException {
    long self = ProcessHandle.current().pid();
    write(new FederationDescriptor(1, self, "2001-01-01T00:00:00Z", SITES, "d"));

    assertThatThrownBy(() -> file.read()).hasMessageContaining("does not exist");
  }

  @Test
  void whatAKilledOneLeftIsCleared() throws IOException {
    write(new FederationDescriptor(1, 1, "2001-01-01T00:00:00Z", SITES, "d"));
    Path catalog = directory.resolve("new/f.json.catalog");
    Path records = Files.createDirectories(catalog.resolve("data/version-2"));
    Files.writeString(records.resolve("log.1"), "old");
    Path other = Files.writeString(catalog.resolve("precious.txt"), "kept");

    try (FederationFile.Claim claim = file.claim()) {
      assertThat(claim.catalog()).isEqualTo(catalog);
      assertThat(catalog).isDirectoryContaining(path -> path.equals(other));
      assertThat(records).doesNotExist();
      assertThat(file.path()).doesNotExist();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "{", "[]", "null", "{\"version\":2}", "{\"version\":\"x\"}", "\u0000"})
  void whatIsNoFederationsFileIsRefusedWithItsPath(String text) throws IOException {
    Files.createDirectories(file.path().getParent());
    Files.writeString(file.path(), text);

    assertThatThrownBy(() -> file.read())
        .isInstanceOf(CommandException.class)
        .hasMessageContaining(file.path().toString());
  }

  @Test
  void anOptionComesBeforeTheEnvironmentBeforeTheHomeDirectory() {
    assertThat(FederationFile.choose(Path.of("/a"), "/b").path()).isEqualTo(Path.of("/a"));
    assertThat(FederationFile.choose(null, "/b").path()).isEqualTo(Path.of("/b"));
    assertThat(FederationFile.choose(null, " ").path().toString())
        .endsWith(".ensemble/federation.json");
  }

  private void write(FederationDescriptor state) throws IOException {
    Files.createDirectories(file.path().getParent());
    Files.write(file.path(), JsonOutput.mapper().writeValueAsBytes(state));
  }
}
